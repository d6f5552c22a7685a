"""Alramli et al. 2025: experiments as data; Python only for the trace of the mobile user and for sentences that are computed."""
