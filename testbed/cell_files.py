"""The files that a cell's run has left, as pandas frames. ``time_s`` is seconds after the start of the transmissions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from common.errors import UserError
from common.units import BITS_PER_MEGABIT
from engine.collect.description import CellDescription, RunDescription, start_of
from engine.collect.run_data import TransmissionData
from engine.collect.samples import NANOSECONDS
from engine.collect.statistics import throughput_bps
from engine.plan.cell import Cell
from engine.plan.options import RunOptions
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from view.recording.controller_log import ControllerLog
from view.recording.link_names import link_names
from view.recording.received import transmissions_of

AFTERWARDS_S = 1.0
"""Rows until so long after the end of the transmissions are kept: they tell how the last ones end."""


@dataclass(frozen=True)
class CellFiles:
    """The files that one cell's run has left.

    Args:
        folder: the result's, with records and samples.
        cell: the cell whose files are read.
        options: of the measurement: virtual time tells how the clocks of its logs compare, the request which ports were used.
    """

    folder: Path
    cell: Cell
    options: RunOptions

    def throughput(self) -> pd.DataFrame:
        """Payload that receivers read, in bins of 100 ms: transmission, time_s (the bin's middle), throughput_mbps."""
        parts = []
        for name, data in self._transmissions.items():
            time_s, rate_bps = throughput_bps(data.received, self._start_s, self._start_s + self.cell.scenario.run.duration_s)
            parts.append(pd.DataFrame({"transmission": name, "time_s": time_s, "throughput_mbps": rate_bps / BITS_PER_MEGABIT}))
        return pd.concat(parts, ignore_index=True)

    def senders(self) -> pd.DataFrame:
        """All columns of the senders' samples, with transmission and time_s.

        Raises:
            UserError: no transmission was sampled.
        """
        parts = []
        for name, data in self._transmissions.items():
            if data.samples_file.exists():
                frame = self._timed(pd.read_csv(data.samples_file))
                frame.insert(0, "transmission", name)
                parts.append(frame)
        if not parts:
            raise UserError(f"{self.cell}: no transmission was sampled", "`sampled = true` in the scenario")
        return pd.concat(parts, ignore_index=True)

    def rtt(self) -> pd.DataFrame:
        """The kernel's smoothed RTT at each sample: transmission, time_s, rtt_ms."""
        frame = self.senders()
        return frame[["transmission", "time_s"]].assign(rtt_ms=frame["srtt_us"] / 1e3)

    def shares(self) -> pd.DataFrame:
        """Allocated rates, at every change and at the transmission's end."""
        rows = []
        for name, data in self._transmissions.items():
            rates = data.summary["rates"]
            at_end = [(data.summary["end_s"], rates[-1][1])] if rates and data.summary["end_s"] is not None else []
            rows += [(name, at_s - self._start_s, rate_bps / BITS_PER_MEGABIT) for at_s, rate_bps in [*rates, *at_end]]
        return pd.DataFrame(rows, columns=["transmission", "time_s", "share_mbps"])

    def queues(self) -> pd.DataFrame:
        """Packets and bytes that waited at each direction of each link."""
        return self._ports[["link", "time_s", "queue_packets", "queue_bytes"]].copy()

    def drops(self) -> pd.DataFrame:
        """Losses at each direction of each link since the start."""
        names = ["queue_drops", "loss_drops", "down_drops"]
        frame = self._ports[["link", "time_s", *names]].copy()
        frame[names] -= frame.groupby("link")[names].transform("first")
        return frame

    def events(self) -> pd.DataFrame:
        """The scenario's events and the controller's words, in the order of time."""
        rows: list[tuple[float, str, int | None, str]] = [(one.at_s, "scenario", None, str(one)) for one in self.cell.scenario.events]
        log = ControllerLog(self._run.wall_clock_s, self._start_s, local=not self.options.virtual)
        for line in (self._logs / "controller.log").read_text(encoding="utf-8").splitlines():
            said = log.take(line)
            if said is not None:
                rows.append((said.time_s - self._start_s, said.switch or "controller", said.port, said.sentence))
        frame = pd.DataFrame(rows, columns=["time_s", "source", "port", "text"]).astype({"port": "Int64"})
        frame = frame[frame["time_s"].between(-np.inf, self.cell.scenario.run.duration_s + AFTERWARDS_S)]
        return frame.sort_values("time_s", kind="stable", ignore_index=True)

    @cached_property
    def _ports(self) -> pd.DataFrame:
        frame = self._timed(pd.read_csv(self._logs / "ports.csv"))
        names = link_names(self._plan)
        keys = zip(frame["switch"], frame["port"], frame["direction"], strict=True)
        frame.insert(0, "link", [names[key] for key in keys])
        return frame

    @cached_property
    def _plan(self) -> NetworkPlan:
        return plan_network(self.cell.scenario, self.options.request.grpc_base_port)

    @cached_property
    def _samples(self) -> Path:
        """Of the attempt that counts, the last one."""
        found = self._described.latest_samples(self.folder)
        if found is None:
            raise UserError(f"{self.cell}: its samples are not in {self.folder} any more")
        return found

    @cached_property
    def _run(self) -> RunDescription:
        return RunDescription.read(self.folder)

    @property
    def _described(self) -> CellDescription:
        return next(one for one in self._run.cells if one.key == self.cell.key)

    @property
    def _logs(self) -> Path:
        return self.folder / self._described.logs

    @cached_property
    def _transmissions(self) -> dict[str, TransmissionData]:
        addresses = {host: one.ip for host, one in self._plan.hosts.items()}
        return transmissions_of(self._samples, self.cell.scenario.all_transmissions, addresses)

    @cached_property
    def _start_s(self) -> float:
        """CLOCK_MONOTONIC; the hosts were told when each transmission starts."""
        start_s = start_of(self._samples, {one.name: one.start_s for one in self.cell.scenario.all_transmissions})
        if start_s is None:
            raise UserError(f"{self.cell}: {self._samples} does not say when its transmissions started")
        return start_s

    def _timed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """With ``time_s`` in the place of ``time_ns``, of this run alone: on one network in real time there were others."""
        time_s = frame.pop("time_ns") * NANOSECONDS - self._start_s
        frame.insert(0, "time_s", time_s)
        return frame[time_s.between(0.0, self.cell.scenario.run.duration_s + AFTERWARDS_S)].reset_index(drop=True)
