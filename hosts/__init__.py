"""The programs of a host: sender, receiver, rate negotiation; ``hosts.cca``: congestion controls as BPF programs."""
