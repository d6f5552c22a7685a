"""Reports: measured beside published values, from the records of a run and the tables, figures and bars of its scenario file."""
