"""One network in one kernel, and in two kernels side by side: ``python -m bench.studies.several_kernels`` (docs/several-kernels.md)."""
