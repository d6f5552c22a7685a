"""Liu, Ni and Han 2023: experiments as data; Python only for sentences that are computed."""
