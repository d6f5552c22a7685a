"""A whole run's folder, read while it grows or afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from common.errors import UserError
from engine.collect.description import FILE, RunDescription
from engine.plan.tracing import SOURCE_NAMES, SOURCES, source_names
from hosts.cca.needs import Needs
from hosts.cca.scheme_names import parse_scheme
from reports.pictures.palette import palette
from scenario.scenario import Scenario
from view.recording.cell_recording import CellRecording, Message
from view.recording.network_view import NetworkView


def newest_run(folder: Path) -> Path:
    """The folder itself, or the newest of the runs in it: a lab has several."""
    if (folder / FILE).exists():
        return folder
    return max((file for file in folder.glob(f"*/{FILE}")), key=lambda file: file.stat().st_mtime, default=folder / FILE).parent


HandsOut = Literal["controller", "switches", "nobody"]
"""The part that tells a sender its rate: the controller, with a list for each port; the switches, which keep no list; or nobody."""


def hands_out(scheme: str, scenario: Scenario) -> HandsOut:
    """The part that hands out bandwidth in a cell.

    Args:
        scheme: of the cell; empty: it is a prompt, where any scheme of the scenario may be used.
        scenario: of the cell, whose transmissions may have schemes of their own.
    """
    schemes = {scheme} if scheme else set(scenario.run.schemes)
    needs = [found for one in schemes | {one.scheme for one in scenario.all_transmissions if one.scheme} if (found := _needs(one))]
    if any(one.negotiates and not one.asks_every_rtt for one in needs):
        return "controller"
    return "switches" if any(one.negotiates for one in needs) else "nobody"


def _needs(scheme: str) -> Needs | None:
    """None: the run is older than the checkout, which has no such scheme any more."""
    try:
        return parse_scheme(scheme).needs
    except UserError:
        return None


class RunRecording:
    """Reads a run.

    Args:
        folder: of its results.

    Raises:
        UserError: it is no run's folder, or a damaged one, or one of another version of the testbed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.description = RunDescription.read(folder)
        self.networks = [NetworkView(one, planned=not self.description.prompt) for one in self.description.scenarios]
        self.cells = [CellRecording(folder, self.description, one, self.networks[one.scenario]) for one in self.description.cells]

    @property
    def is_over(self) -> bool:
        """Whether everything that there will be has been read."""
        return all(cell.is_over for cell in self.cells)

    def advance(self) -> Iterator[Message]:
        """New messages of all cells (view/recording/cell_recording.py)."""
        for cell in self.cells:
            yield from cell.advance()

    def header(self) -> dict[str, Any]:
        """The constant part: the run, its networks, its colours; for JSON."""
        run = self.description
        return {
            "name": run.name,
            "title": run.title,
            "started": run.started,
            "virtual": run.virtual,
            "prompt": run.prompt,
            "trace": run.trace,
            "folder": self.folder.resolve().name,
            "finished": all(cell.has_record for cell in self.cells),
            "cells": [
                {
                    "key": one.key,
                    "scheme": one.scheme,
                    "repetition": one.repetition,
                    "parameters": one.parameters,
                    "network": one.scenario,
                    "hands_out": hands_out(one.scheme, run.scenarios[one.scenario]),
                }
                for one in run.cells
            ],
            "networks": [_network(one) for one in self.networks],
            "sources": self._sources(),
            "palette": palette(),
        }

    def _sources(self) -> dict[str, str]:
        """The texts of the P4 programs' files, by their names in traces, or by the ends of these."""
        folder = self.folder / SOURCES
        files = {str(file.relative_to(folder)): file for file in sorted(folder.rglob("*")) if file.is_file()}
        files.pop(SOURCE_NAMES, None)
        named = source_names(folder / SOURCE_NAMES)
        others = files.keys() - named.values()
        places = {name: name for name in files if name in others} | {name: place for name, place in named.items() if place in files}
        return {name: files[place].read_text(encoding="utf-8", errors="replace") for name, place in places.items()}


def _network(network: NetworkView) -> dict[str, Any]:
    return {
        "duration_s": network.duration_s,
        "events": [{"time_s": time_s, "text": text} for time_s, text in network.events],
        "nodes": [{"name": one.name, "is_switch": one.is_switch, "x": round(one.x, 4), "y": round(one.y, 4)} for one in network.nodes],
        "links": [
            {
                "name": one.name,
                "start": one.start,
                "end": one.end,
                "rate_mbps": one.rate_mbps,
                "delay_ms": one.delay_ms,
                "queue_packets": one.queue_packets,
                "queue_bytes": one.queue_bytes,
            }
            for one in network.directions
        ],
        "transmissions": [
            {
                "name": one.name,
                "sender": one.planned.sender,
                "receiver": one.planned.receiver,
                "start_s": one.planned.start_s,
                "stop_s": one.planned.stop_s,
                "size_bytes": one.planned.size_bytes,
                "ways": one.ways,
            }
            for one in network.transmissions
        ],
        "records": network.recorded_as(),
    }
