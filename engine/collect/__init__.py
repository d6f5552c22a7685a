"""Results of a run: samples, link accounts, the fidelity verdict, values, and records on disk."""
