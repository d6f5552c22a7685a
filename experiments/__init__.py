"""Scenarios, runs, tables and figures: what the testbed measures, beside what the papers published."""
