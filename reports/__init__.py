"""Reports: measured beside published, from the records of a run and what a scenario file says of its tables, figures and bars."""
