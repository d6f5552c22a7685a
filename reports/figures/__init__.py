"""The figures of a report, from data."""
