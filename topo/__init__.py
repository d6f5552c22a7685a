"""The testbed's networks: Mininet topologies, P4 switches, links, and everything that starts and stops with them."""
