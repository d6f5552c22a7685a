"""Running the sender and the receiver as programs on an emulated path, and reading what they measured."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.studies.emulated_transfers.emulated_path import EmulatedPath, why_no_namespaces
from bench.tools import PROJECT
from common.errors import UserError
from hosts.cca import loader
from hosts.cca.loader import explain_missing_support

READY_S = 20.0
HELD_UP_NS = 25_000_000
HELD_UP_SHARE = 0.01
LEAD_S = 1.0
"""A transfer starts this long after its sender is launched."""


class CannotTransferError(UserError):
    """This machine cannot emulate a path, or cannot have a congestion control."""


@contextmanager
def registered(scheme: str) -> Iterator[None]:
    """The congestion control ``scheme`` can be chosen inside the block.

    Raises:
        CannotTransferError: that cannot be here.
    """
    if missing := why_no_namespaces():
        raise CannotTransferError(f"{missing}: nothing can be sent over network namespaces")
    if missing := explain_missing_support():
        raise CannotTransferError(f"{missing}: there is no congestion control {scheme}")
    added = loader.register([scheme])
    try:
        yield
    finally:
        loader.unregister(added)


@contextmanager
def program(path: EmulatedPath, host: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Runs a Python program on ``host`` until the block ends; it is ready when it has said so."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    process = subprocess.Popen(
        path.command(host, sys.executable, *words),
        cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=READY_S)


def wait_ready(process: subprocess.Popen[str]) -> None:
    """Until the program says that it is ready."""
    assert process.stdout is not None
    assert process.stderr is not None
    assert "ready" in process.stdout.readline(), process.stderr.read()


def send(path: EmulatedPath, folder: Path, duration_s: float, *options: str) -> dict[str, Any]:
    """Sends from host a to host b for ``duration_s``; returns the summary, with the sender's stderr in it."""
    summary = folder / "summary.json"
    start_s = time.monotonic() + LEAD_S
    words = ["-m", "hosts", "send", "--to", path.B, "--name", "A", "--start-at", str(start_s), "--summary", str(summary)]
    words += ["--stop-at", str(start_s + duration_s), "--samples", str(folder / "sender.csv"), *options]
    with program(path, "a", *words) as process:
        wait_ready(process)
        result = _result(process, summary, duration_s)
    path.held_up |= was_held_up(folder)
    return result


def _result(process: subprocess.Popen[str], summary: Path, duration_s: float) -> dict[str, Any]:
    _, errors = process.communicate(timeout=duration_s + READY_S)
    assert process.returncode == 0, errors
    result: dict[str, Any] = json.loads(summary.read_text())
    result["stderr"] = errors
    return result


def send_together(
    path: EmulatedPath, folder: Path, duration_s: float, flows: dict[str, tuple[str, str]], late_s: dict[str, float] | None = None
) -> None:
    """Sends from host a to several addresses of host b at once: ``flows`` is name → (address, congestion control).

    All end together; those in ``late_s`` begin so much later.

    The samples of each are in ``folder``/NAME/sender.csv.
    """
    start_s = time.monotonic() + LEAD_S + 0.3 * len(flows)
    with contextlib.ExitStack() as running:
        for address in {address for address, _ in flows.values()}:
            wait_ready(running.enter_context(program(path, "b", "-m", "hosts", "receive", "--bind", address)))
        senders = {}
        for name, (address, congestion_control) in flows.items():
            (folder / name).mkdir(exist_ok=True)
            begin_s = start_s + (late_s or {}).get(name, 0.0)
            words = ["-m", "hosts", "send", "--to", address, "--name", name, "--cc", congestion_control, "--start-at", str(begin_s)]
            words += ["--stop-at", str(start_s + duration_s), "--summary", str(folder / name / "summary.json")]
            words += ["--samples", str(folder / name / "sender.csv")]
            senders[name] = running.enter_context(program(path, "a", *words))
        for name, sender in senders.items():
            _result(sender, folder / name / "summary.json", duration_s + start_s - time.monotonic())
            path.held_up |= was_held_up(folder / name)


def was_held_up(folder: Path) -> bool:
    """Whether the sender, which takes samples all the time, did not run for so long that the transfer says nothing: 1 % of the time."""
    if not (folder / "sender.csv").exists():
        return False
    times_ns = [row["time_ns"] for row in samples(folder) if row["bytes_sent"] > 0]
    if not times_ns:
        return False
    gaps_ns = [later - earlier for earlier, later in pairwise(times_ns)]
    return sum(gap for gap in gaps_ns if gap > HELD_UP_NS) > HELD_UP_SHARE * (times_ns[-1] - times_ns[0])


def samples(folder: Path) -> list[dict[str, int]]:
    """The sender's samples, a row each."""
    with (folder / "sender.csv").open() as file:
        return [{key: int(value) for key, value in row.items()} for row in csv.DictReader(file)]


def rate_bps(rows: list[dict[str, int]], column: str, after_s: float, until_s: float) -> float:
    """Mean rate of a byte counter between two times after the first data."""
    first_ns = next(row["time_ns"] for row in rows if row["bytes_sent"] > 0)
    inside = [row for row in rows if after_s <= (row["time_ns"] - first_ns) / 1e9 <= until_s]
    first, last = inside[0], inside[-1]
    return (last[column] - first[column]) * 8e9 / (last["time_ns"] - first["time_ns"])
