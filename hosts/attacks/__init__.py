"""Hosts that lie, forge and flood: ``python3 -m hosts.attacks KIND``, a program of a scenario (docs/protocol/attacks.md, "Attacks").

For the testbed's own networks alone: packets leave by a raw socket, so it takes root in the host's namespace.
"""
