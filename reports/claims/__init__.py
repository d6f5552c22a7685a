"""Claims of papers, and whether the measured values agree: rules, intervals, bars, causes."""
