"""Which packets of a run are traced: a transmission's name, or a filter of the switches (docs/toolchain/debug.md) with names of hosts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from common.errors import UserError
from scenario.scenario import Scenario
from topo.layout import plan_network

SOURCES = "p4src"
"""Folder of a run with the P4 programs that a trace speaks of."""

SOURCE_NAMES = "names.json"
"""File there: of programs from elsewhere, the path of each file by the name that the compiler gave it, which is the trace's."""

COUNT = 12
"""Packets of a transmission, at each switch: the handshake, the negotiation, the first data."""


def trace_filter(wanted: str, scenarios: Sequence[Scenario]) -> str:
    """The filter for the wished packets; empty if none are wished for.

    Args:
        wanted: ``A``, a transmission; ``A count 40``; or ``src h1 udp count 5``.
        scenarios: of the run.

    Raises:
        UserError: a word is neither of the language nor a name in the scenario, or the same name is another address elsewhere.
    """
    words = wanted.split()
    if not words:
        return ""
    found = {_resolved(words, scenario) for scenario in scenarios}
    if len(found) > 1:
        raise UserError(f"TRACE={wanted}: the scenario's points give these names other addresses", "name addresses")
    return found.pop()


def _resolved(words: list[str], scenario: Scenario) -> str:
    addresses = {name: host.ip for name, host in plan_network(scenario).hosts.items()}
    named = next((one for one in scenario.all_transmissions if one.name == words[0]), None)
    if named is not None:
        ends = ["src", addresses[named.sender], "dst", addresses[named.receiver]]
        return " ".join([*ends, *words[1:], *([] if "count" in words else ["count", str(COUNT)])])
    if words[0] not in KNOWN_WORDS:
        names = ", ".join(one.name for one in scenario.all_transmissions[:12])
        raise UserError(
            f"TRACE={' '.join(words)}: {words[0]!r} is neither a transmission nor a word of the filter",
            f"transmissions: {names}; or a filter such as: src h1 udp count 5",
        )
    return " ".join(addresses.get(word, word) for word in words)


KNOWN_WORDS = frozenset(
    ("src", "dst", "host", "ip", "ip6", "arp", "ethertype", "tcp", "udp", "icmp", "proto", "sport", "dport", "port", "in", "count", "brief")
)
"""The words of the switches' filters (docs/toolchain/debug.md); any other word may be a host's name."""


def source_names(index: Path) -> dict[str, str]:
    """The content of :data:`SOURCE_NAMES`; empty where the file is not there, or was left half written."""
    try:
        return {str(name): str(place) for name, place in json.loads(index.read_bytes()).items()}
    except (FileNotFoundError, ValueError, AttributeError):
        return {}
