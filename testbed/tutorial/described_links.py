"""Links as descriptions of networks list them, in the order in which their tools number the ports of switches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.shown_path import shown

PARTS = re.compile(r"(\D*)(\d*)")
KEYS = {"delay": "delay", "latency": "delay", "bw": "rate_mbps", "queue_length": "queue_packets", "max_queue_size": "queue_packets"}
"""Of links: the tools' name, and a scenario's."""


@dataclass(frozen=True)
class DescribedLink:
    """A link.

    Args:
        ends: names of hosts and switches.
        keys: of a scenario's link, with ``ends`` among them, which have a port's number where the description gives it.
    """

    ends: tuple[str, str]
    keys: dict[str, Any]

    def place(self) -> tuple[list[tuple[str, int]], ...]:
        """Among others: sorted by their ends, numbers in names by their value."""
        return tuple([(text, int(number or 0)) for text, number in PARTS.findall(end)] for end in self.ends)


def read_links(
    file: Path, key: str, listed: Any, hosts: Mapping[str, Any], switches: Mapping[str, Any], usual: Mapping[str, Any] | None = None
) -> list[DescribedLink]:
    """Read a list of links: ``[END, END]``, with a delay and a rate, or with a table of them.

    Args:
        file: that has them, for messages.
        key: of the list in it.
        listed: the value of that key.
        hosts: by their names.
        switches: by their names.
        usual: keys of links that do not give these themselves.

    Raises:
        UserError: one has another shape, or an end that is not there.
    """
    links = [_read(file, key, one, switches, usual or {}) for one in (listed if isinstance(listed, list) else [])]
    for link in links:
        for end in link.ends:
            if end not in hosts and end not in switches:
                raise UserError(f"{shown(file)}: {key}: there is no {end!r}")
    return links


def _read(file: Path, key: str, one: Any, switches: Mapping[str, Any], usual: Mapping[str, Any]) -> DescribedLink:
    if not isinstance(one, list) or len(one) < 2 or not all(isinstance(end, str) for end in one[:2]):
        raise UserError(f"{shown(file)}: {key}: {one!r} is no link: [END, END, {{delay, bw, queue_length}}]")
    more = dict(usual)
    if len(one) > 2:
        more |= one[2] if isinstance(one[2], dict) else dict(zip(("delay", "bw"), one[2:], strict=False))
    ports = {one[0]: more.get("port1"), one[1]: more.get("port2")}
    ends = [name if port is None or name not in switches else f"{name}-p{port}" for name, port in ports.items()]
    keys: dict[str, Any] = {"ends": ends}
    for theirs, ours in KEYS.items():
        if more.get(theirs):
            keys[ours] = more[theirs]
    return DescribedLink((one[0], one[1]), keys)


def places(links: Iterable[DescribedLink], hosts: Mapping[str, Any], switches: Mapping[str, Any]) -> dict[str, str]:
    """The switch that each host is behind, in the order of the links."""
    return {host: switch for link in links for host, switch in (link.ends, link.ends[::-1]) if host in hosts and switch in switches}
