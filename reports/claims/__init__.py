"""What a paper says and whether the measured values agree: claims, their rules, intervals, bars, causes."""
