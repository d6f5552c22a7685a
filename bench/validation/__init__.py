"""Virtual time against theory: queues, pacing, losses (`python -m bench.validation`, docs/validation.md)."""
