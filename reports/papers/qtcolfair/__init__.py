"""Ngwenya, Hlophe and Maharaj 2025: experiments as data; Python only for sentences that are computed."""
