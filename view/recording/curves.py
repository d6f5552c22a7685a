"""A recorded cell as curves, for the pictures of a run and for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from view.recording.cell_recording import CellRecording, Message
from view.recording.network_view import NetworkView
from view.recording.run_recording import RunRecording

KBPS_PER_MBPS = 1e3
Floats = NDArray[np.float64]


@dataclass
class CellCurves:
    """Everything that was recorded of one cell. Times are seconds after the run's start; curves have one value a bin, at its end.

    Args:
        key, scheme: of the cell.
        network: of its scenario.
    """

    key: str
    scheme: str
    network: NetworkView
    bin_s: float = 0.0
    bins: int = 0
    links: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """By direction: ``rate`` in Mbit/s, ``queue`` and ``dropped`` in packets."""
    flows: dict[str, dict[str, dict[str, list[float]]]] = field(default_factory=dict)
    """By transmission and direction: ``rate`` in Mbit/s, ``dropped`` in packets."""
    senders: dict[str, dict[str, list[float | None]]] = field(default_factory=dict)
    """By transmission: view/recording/sender_curves.py."""
    received: dict[str, tuple[list[float], list[float]]] = field(default_factory=dict)
    """By transmission: times, and Mbit/s of payload that its receiver read, in bins of 100 ms; empty until the cell is over."""
    words: list[dict[str, Any]] = field(default_factory=list)
    """The controller's sentences, with the port's list after each that changes it."""
    problems: list[str] = field(default_factory=list)

    @property
    def time_s(self) -> Floats:
        """Ends of the bins."""
        return np.asarray(self.bin_s * np.arange(1, self.bins + 1), dtype=np.float64)

    def link(self, direction: str, what: str) -> Floats:
        """``rate``, ``queue`` or ``dropped`` of a direction."""
        return self._padded(self.links.get(direction, {}).get(what, []))

    def rate_mbps(self, transmission: str) -> Floats:
        """Ethernet frames that came to the receiver, by all subflows."""
        ways = next(one.ways for one in self.network.transmissions if one.name == transmission)
        found = np.zeros(self.bins)
        for last in dict.fromkeys(way[-1] for way in ways):
            found += self._padded(self.flows.get(transmission, {}).get(last, {}).get("rate", []))
        return found

    def dropped(self) -> Floats:
        """Packets that all links dropped."""
        return np.asarray(np.sum([self.link(name, "dropped") for name in self.links] or [np.zeros(self.bins)], axis=0))

    def shares(self, direction: str) -> dict[str, tuple[list[float], list[float]]]:
        """A port's list over time as steps: for each record times and Mbit/s, 0 where it is not on the list."""
        found: dict[str, tuple[list[float], list[float]]] = {}
        for line in self.words:
            if line["at"] != direction or "shares" not in line:
                continue
            for name in {**found, **line["shares"]}:
                times, values = found.setdefault(name, ([], []))
                share = float(line["shares"].get(name, 0.0))
                before = values[-1] if values else 0.0
                if share != before:
                    times += [line["time_s"], line["time_s"]]
                    values += [before, share]
        end_s = self.network.duration_s
        for times, values in found.values():
            if times[-1] < end_s:
                times.append(end_s)
                values.append(values[-1])
        return found

    @property
    def busiest(self) -> list[str]:
        """Directions from a switch that transmissions cross, those that most of them need most of first."""
        need: dict[str, float] = {}
        switches = {node.name for node in self.network.nodes if node.is_switch}
        rates = {one.name: one.rate_mbps for one in self.network.directions if one.start in switches}
        for one in self.network.transmissions:
            for link in (link for way in one.ways for link in way if link in rates):
                need[link] = need.get(link, 0.0) + 1 / rates[link]
        return sorted(need, key=lambda link: -need[link])

    def take(self, message: Message) -> None:
        """Add a message of the cell's."""
        kind = message["t"]
        if kind == "begin":
            self.bin_s, self.bins = message["bin_s"], 0
            for told in (self.links, self.flows, self.senders):
                told.clear()
            self.words.clear()
        elif kind == "ports":
            self.bins = message["at"] + message["bins"]
            for link, curves in message["series"].items():
                _add(self.links.setdefault(link, {}), message["at"], curves)
        elif kind == "flows":
            for name, links in message["series"].items():
                for link, curves in links.items():
                    _add(self.flows.setdefault(name, {}).setdefault(link, {}), message["at"], curves)
        elif kind == "said":
            self.words += message["lines"]
        elif kind == "sender":
            of = self.senders.setdefault(message["name"], {})
            for name, values in message["curves"].items():
                curve = of.setdefault(name, [])
                del curve[message["at"] :]
                curve += [None] * (message["at"] - len(curve)) + values
        elif kind == "problem":
            self.problems.append(message["text"])

    def _padded(self, values: list[float]) -> Floats:
        found = np.zeros(self.bins)
        found[: len(values)] = values[: self.bins]
        return found


def curves_of(folder: Path) -> list[CellCurves]:
    """All cells of a run's folder, as far as the run is.

    Raises:
        UserError: it is no run's folder, or a damaged one, or one of another version.
    """
    recording = RunRecording(folder)
    return [_collected(cell, network) for cell, network in zip(recording.cells, _networks(recording), strict=True)]


def _networks(recording: RunRecording) -> Iterable[NetworkView]:
    return (recording.networks[cell.scenario] for cell in recording.description.cells)


def _collected(cell: CellRecording, network: NetworkView) -> CellCurves:
    found = CellCurves(cell.description.key, cell.description.scheme, network)
    for message in cell.advance():
        found.take(message)
    found.received = cell.received()
    return found


def _add(curves: dict[str, list[float]], at: int, told: dict[str, list[int]]) -> None:
    for name, values in told.items():
        curve = curves.setdefault(name, [])
        curve += [0.0] * (at - len(curve))
        curve += [value / KBPS_PER_MBPS for value in values] if name == "rate" else values
