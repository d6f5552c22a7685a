"""Marfia et al. 2005: experiments as data; Python only for sentences that are computed."""
