"""Places where a run's frames can be recorded, and the switch process's settings for that (docs/wireshark.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from common.errors import UserError
from topo.network_plan import NetworkPlan

FILE: Final = "capture.pcapng"
"""In the folder of the testbed's logs."""

ALL: Final = "all"
"""Every port of every switch, and the packets between switches and controller."""

CONTROLLER: Final = "controller"
LINKTYPE_USER0: Final = 147
CONTROLLER_LINK_TYPE: Final = LINKTYPE_USER0 + 15
"""LINKTYPE_USER15, one of those that mean what their users agree on: a packet-in or packet-out header comes first."""

SNAP_BYTES: Final = 98
"""Of each frame: all of a message of either version, and the longest headers that TCP can have."""
CONTROLLER_SNAP_BYTES: Final = 4096
"""More than the longest packet-out."""
MOST_BYTES: Final = 256 << 20
"""Bytes that a file of recorded frames may have; later frames are not recorded, and a run says so."""


def frames_fields(plan: NetworkPlan, wanted: Sequence[str], file: Path, *, beside_bmv2: bool = False) -> dict[str, Any]:
    """The fields of the switch process's network file under ``samples.frames``.

    Args:
        plan: the network.
        wanted: names of ends (:func:`check_capture`).
        file: where the frames go.
        beside_bmv2: the packets between switches and controller do not pass the links.

    Raises:
        UserError: the network has no such end.
    """
    ends = _ends(plan, with_controller=not beside_bmv2)
    return {"file": str(file), "interfaces": [ends[name] for name in _names(ends, wanted)], "most_bytes": MOST_BYTES}


def check_capture(plan: NetworkPlan, wanted: Sequence[str], *, beside_bmv2: bool = False) -> None:
    """See that a network has all the ends whose frames are wanted.

    ``s1-s2`` is the end at s1 of the link between s1 and s2; switches and hosts alike. ``s1-controller`` is for the packets between s1
    and its controller; BMv2's switches have none. ``all``: all but the hosts' ends.

    Raises:
        UserError: it lacks one; with those that it has.
    """
    _names(_ends(plan, with_controller=not beside_bmv2), wanted)


def _names(ends: dict[str, dict[str, Any]], wanted: Sequence[str]) -> list[str]:
    unknown = [name for name in wanted if name != ALL and name not in ends]
    if unknown:
        raise UserError(f"CAPTURE: there is no {', '.join(unknown)} in this network", f"there are: {', '.join([ALL, *ends])}")
    chosen = {name for name in ends if name in wanted or (ALL in wanted and ends[name]["end"] == "switch")}
    return [name for name in ends if name in chosen]


def _ends(plan: NetworkPlan, *, with_controller: bool) -> dict[str, dict[str, Any]]:
    ends: dict[str, dict[str, Any]] = {}
    for switch in plan.switches.values():
        for port in switch.ports:
            near = {"switch": switch.name, "port": port.number, "end": "switch", "snap_bytes": SNAP_BYTES}
            ends[f"{switch.name}-{port.peer}"] = near
            if port.peer_port is None:
                ends[f"{port.peer}-{switch.name}"] = near | {"end": "neighbour"}
        if with_controller:
            ends[f"{switch.name}-{CONTROLLER}"] = {
                "switch": switch.name,
                "port": switch.cpu_port,
                "end": "switch",
                "snap_bytes": CONTROLLER_SNAP_BYTES,
                "link_type": CONTROLLER_LINK_TYPE,
            }
    return {name: {"name": name} | end for name, end in ends.items()}
