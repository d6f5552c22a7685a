"""One cell of a run, read as it grows: new data is given back as messages, which a page or a picture adds up.

Messages are dictionaries for JSON. ``t`` says what they are:

- ``begin``: the transmissions start. Another one for the same cell: the attempt before did not count, and all of it is forgotten.
- ``ports``: bins of directions of links from ``at`` on. ``rate`` in kbit/s of Ethernet frames, ``queue``: the most packets that waited,
  ``dropped`` packets. Curves that are 0 all the time are left out.
- ``flows``: the same of transmissions at each direction that they cross: ``rate``, ``dropped``.
- ``said``: the controller's words, with the port's list after them.
- ``state``: the state of a switch's own program. ``program`` declares a new program's tables, registers and counters. ``tables``,
  ``registers`` and ``counters`` have those that have changed since the last time, whole.
- ``sender``: curves of one transmission's connection in bins from ``at`` on; once the cell is over, all of them from 0 on.
- ``hop``: what a switch did with a traced packet; ``links`` are those that it came and went by, as far as that switch models them.
- ``result``: the cell is over.
- ``problem``: something in the folder is damaged or missing; everything else goes on.

Times are seconds after the run's start.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from common.errors import UserError
from engine.collect.description import PROMPT_BEGAN, CellDescription, RunDescription, start_of
from engine.collect.record import CellRecord
from engine.collect.run_data import sender_samples
from engine.collect.samples import NANOSECONDS
from protocol.constants import TCP_DATA_PORT
from topo.switch_files import STATE_FILE, TRACE_FILE
from view.recording.controller_log import ControllerLog, Said
from view.recording.network_view import NetworkView
from view.recording.packet_traces import Hop, PacketTraces
from view.recording.program_state import ProgramState
from view.recording.received import Curve, received_of_record, received_of_samples, transmissions_of
from view.recording.sender_curves import GrowingCurves, sender_curves
from view.recording.switch_samples import Binned, FlowSamples, PortSamples, QueueSamples
from view.recording.tail import Tail
from view.recording.transmissions import FlowNames

Message = dict[str, Any]

BIN_S = 0.05
PROMPT_BIN_S = 0.1
MOST_BINS = 1500
"""Of a run; longer ones have wider bins."""

AFTERWARDS_S = 1.0
"""After the end of the transmissions, for the messages about the last ones' going."""

BEFORE_S = 0.5
MOST_SAID = 20_000


def bin_width_s(duration_s: float, *, prompt: bool = False) -> float:
    """Width of the bins of a run."""
    if prompt:
        return PROMPT_BIN_S
    return max(1, math.ceil(duration_s / MOST_BINS / BIN_S - 1e-9)) * BIN_S


class CellRecording:
    """Reads one cell.

    Args:
        folder: of the run.
        run: its description.
        cell: which of its cells.
        network: of the cell's scenario.
    """

    def __init__(self, folder: Path, run: RunDescription, cell: CellDescription, network: NetworkView) -> None:
        self.description = cell
        self.is_over = False
        """Its result is there, and everything has been read."""
        self._folder, self._run, self._network = folder, run, network
        self._logs = folder / cell.logs
        self._bin_s = bin_width_s(network.duration_s, prompt=run.prompt)
        self._samples: Path | None = None
        self._start_s = math.nan
        self._problems: set[str] = set()

    @property
    def has_record(self) -> bool:
        """Whether its result is in the folder, read or not."""
        return self._record_file.exists()

    def advance(self) -> Iterator[Message]:
        """New messages."""
        for message in self._advance():
            yield {"cell": self.description.key, **message}

    def _advance(self) -> Iterator[Message]:
        if self.is_over:
            return
        record = self._record()
        start_s = self._find_start()
        if start_s is not None and start_s != self._start_s:
            self._begin(start_s)
            yield {"t": "begin", "bin_s": self._bin_s}
        if not math.isnan(self._start_s):
            yield from self._read()
        if record is not None:
            if not math.isnan(self._start_s):
                self._queues.at(self._ports.end_s)  # their last lines tell a change; from there on they stayed as they were
                yield from self._take("queues", self._queues, [], self._logs / "queues.csv")
                yield from self._hops()  # packets that were not quiet before are so by now
                yield from self._senders()
                if record.is_result and not self._ports.closed:
                    yield from self._problem(f"{self._shown(self._logs / 'ports.csv')}: there are no samples of the links")
            elif record.is_result:
                yield from self._problem(f"{self.description.samples}: there are no samples of this cell, only its result")
            self.is_over = True
            yield _result(record)

    def _begin(self, start_s: float) -> None:
        self._start_s = start_s
        self._end_s = math.inf if self._run.prompt else start_s + self._network.duration_s + AFTERWARDS_S
        names = FlowNames(self._network.transmissions, self._network.addresses, TCP_DATA_PORT, self._network.labels)
        self._ports = PortSamples(start_s, self._bin_s, self._network.by_port)
        self._queues = QueueSamples(start_s, self._bin_s, self._network.by_port)
        self._flows = FlowSamples(start_s, self._bin_s, self._network.by_port, names)
        self._tails: list[tuple[str, Binned, Tail]] = [
            ("ports", self._ports, Tail(self._logs / "ports.csv")),
            ("queues", self._queues, Tail(self._logs / "queues.csv")),
            ("flows", self._flows, Tail(self._logs / "flows.csv")),
        ]
        self._told = dict.fromkeys((kind for kind, *_ in self._tails), 0)
        self._log = ControllerLog(self._run.wall_clock_s, start_s, local=not self._run.virtual)
        self._log_tail = Tail(self._logs / "controller.log")
        self._state = ProgramState(start_s, self._end_s)
        self._state_tail = Tail(self._logs / STATE_FILE)
        self._traces = PacketTraces(self._network.addresses)
        self._trace_tails: dict[str, Tail] = {}
        self._growing: dict[str, GrowingCurves] = {}
        if self._samples is not None:
            self._growing = {
                one.name: GrowingCurves(sender_samples(self._samples, one.planned), start_s, self._bin_s)
                for one in self._network.transmissions
            }

    # When it begins

    def _find_start(self) -> float | None:
        """CLOCK_MONOTONIC of the start of the latest attempt; with a prompt, of the moment from which it counts, or of the first sample.

        None: it has not begun.
        """
        if self._run.prompt:
            began_s = self._prompt_began_s if self._run.virtual else self._first_sample_s
            return self._start_s if not math.isnan(self._start_s) else began_s()
        latest = self.description.latest_samples(self._folder)
        if latest is None:
            return None
        self._samples = latest
        return start_of(latest, {one.name: one.planned.start_s for one in self._network.transmissions})

    def _prompt_began_s(self) -> float | None:
        try:
            return float(json.loads((self._logs / PROMPT_BEGAN).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None  # it is not there, or is being written

    def _first_sample_s(self) -> float | None:
        for line in Tail(self._logs / "ports.csv").lines()[1:2]:
            time_ns = line.partition(b",")[0]
            if time_ns.isdigit():
                return int(time_ns) * NANOSECONDS
        return None

    # New data

    def _read(self) -> Iterator[Message]:
        for kind, binned, tail in self._tails:
            while lines := tail.lines():
                yield from self._take(kind, binned, lines, tail.path)
        yield from self._program_state()
        yield from self._said()
        yield from self._hops()
        for name, growing in self._growing.items():
            at, curves = growing.advance()
            if curves:
                yield {"t": "sender", "name": name, "at": at, "curves": curves}

    def _take(self, kind: str, binned: Binned, lines: Sequence[bytes], file: Path) -> Iterator[Message]:
        damaged = 0
        take = binned.take
        for line in lines:
            if not take(line) and not line.startswith(b"time_ns,"):
                damaged += 1
            if binned.end_s > self._end_s:
                break
        if damaged:
            yield from self._problem(f"{self._shown(file)}: {damaged} damaged lines are left out")
        at, until = self._told[kind], binned.closed
        if until > at:
            self._told[kind] = until
            yield {"t": kind, "at": at, "bins": until - at, "series": _series(binned, at)}

    def _program_state(self) -> Iterator[Message]:
        while lines := self._state_tail.lines():
            for one in self._state.take(lines):
                if one is None:
                    yield from self._problem(f"{self._shown(self._state_tail.path)}: damaged lines are left out")
                else:
                    yield {"t": "state", **one}

    def _said(self) -> Iterator[Message]:
        said: list[dict[str, Any]] = []
        for line in self._log_tail.lines():
            one = self._log.take(line.decode(errors="replace"))
            if one is not None and self._start_s - BEFORE_S <= one.time_s <= self._end_s:
                said.append(self._shown_words(one))
        if said:
            yield {"t": "said", "lines": said[:MOST_SAID]}

    def _shown_words(self, one: Said) -> dict[str, Any]:
        where = self._network.by_port.get((one.switch, one.port, "egress")) if one.switch and one.port is not None else None
        shown: dict[str, Any] = {"time_s": round(one.time_s - self._start_s, 3), "level": one.level, "text": one.text, "at": where}
        if one.shares is not None:
            shown["shares"] = one.shares
        if one.capacity_mbps is not None:
            shown["capacity_mbps"] = one.capacity_mbps
        return shown

    # Traces

    def _hops(self) -> Iterator[Message]:
        for file in sorted(self._logs.glob(f"*{TRACE_FILE}")):
            switch = file.name.removesuffix(TRACE_FILE).rstrip("-") or self._network.nodes[0].name
            tail = self._trace_tails.setdefault(file.name, Tail(file))
            for line in tail.lines():
                try:
                    self._traces.take(file.name, switch, line)
                except ValueError:
                    yield from self._problem(f"{self._shown(file)}: damaged lines are left out")
        for hop in self._traces.quiet():
            yield from self._hop(hop)

    def _hop(self, hop: Hop) -> Iterator[Message]:
        if self._start_s - BEFORE_S <= hop.time_s <= self._end_s:
            yield {"t": "hop", **asdict(hop), "time_s": round(hop.time_s - self._start_s, 6), "links": self._crossed(hop)}

    def _crossed(self, hop: Hop) -> list[str]:
        """The directions of links that the packet came and went by."""
        found = []
        for event, side in (("received", "ingress"), ("sent", "egress")):
            ports = [one["port"] for one in hop.events if one["event"] == event and isinstance(one.get("port"), int)]
            found += [name for port in ports if (name := self._network.by_port.get((hop.switch, port, side)))]
        return found

    # When it is over

    @property
    def _record_file(self) -> Path:
        return self._folder / "cells" / f"{self.description.key}.json"

    def received(self) -> dict[str, Curve]:
        """Payload that each transmission's receiver read, Mbit/s over time; empty as long as the cell is not over.

        It is the curve of the cell's record, or of the receivers' samples where the record has none.
        """
        record = self._record()
        if record is None or not record.is_result:
            return {}
        curves = received_of_record(record)
        if curves or self._samples is None or math.isnan(self._start_s):
            return curves
        transmissions = [one.planned for one in self._network.transmissions]
        addresses = {name: address for address, name in self._network.addresses.items()}
        try:
            data = transmissions_of(self._samples, transmissions, addresses)
        except (OSError, ValueError, UserError):
            return {}  # they were not kept
        return received_of_samples(data, self._start_s, self._network.duration_s)

    def _record(self) -> CellRecord | None:
        file = self._record_file
        try:
            return CellRecord.model_validate_json(file.read_bytes())
        except OSError:
            return None
        except ValidationError:
            return CellRecord(
                experiment=self._run.name,
                scheme=self.description.scheme,
                repetition=self.description.repetition,
                parameters=self.description.parameters,
                failure=f"{self._shown(file)} is damaged",
            )

    def _senders(self) -> Iterator[Message]:
        if self._samples is None:
            return
        for one in self._network.transmissions:
            file = sender_samples(self._samples, one.planned)
            try:
                curves = sender_curves(file, self._start_s, self._bin_s, self._ports.closed)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, IndexError):
                yield from self._problem(f"{self._shown(file)} is damaged")
                continue
            yield {"t": "sender", "name": one.name, "at": 0, "curves": curves}

    # Words

    def _problem(self, text: str) -> Iterator[Message]:
        if text not in self._problems:
            self._problems.add(text)
            yield {"t": "problem", "text": text}

    def _shown(self, file: Path) -> str:
        return str(file.relative_to(self._folder))


def _series(binned: Binned, at: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, one in binned.counters.items():
        curves = {"rate": one.rate_kbps[at:], "queue": one.queue[at:], "dropped": one.dropped[at:]}
        shown = {name: values for name, values in curves.items() if any(values)}
        if not shown:
            continue
        if isinstance(key, tuple):
            found.setdefault(key[0], {})[key[1]] = shown
        else:
            found[str(key)] = shown
    return found


def _result(record: CellRecord) -> Message:
    return {
        "t": "result",
        "failure": record.failure,
        "values": {name: value for name, value in record.values.items() if value is not None},
        "verdict": None if record.verdict is None else str(record.verdict),
        "facts": record.facts,
    }


def as_json(message: Message) -> str:
    """A message on one line, as short as it goes."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)
