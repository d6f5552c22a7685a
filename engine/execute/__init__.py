"""Measuring cells: networks that come up, runs, attempts, in the time of this machine or in virtual time."""
