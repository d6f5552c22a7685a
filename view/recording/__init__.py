"""Reads a run's folder, while it grows or afterwards: for the live page, the pictures of a run, notebooks."""
