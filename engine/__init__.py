"""The run engine: from a scenario or an experiment's file to measured cells. A scenario is an experiment of one cell a scheme."""
