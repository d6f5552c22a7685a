"""TCP congestion controls as BPF programs: one C file each, built and registered by ``python -m hosts.cca``."""
