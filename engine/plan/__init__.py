"""Plans of measurements: experiments, their cells, the random draws and cost of each, and the job that a kernel gets of it."""
