"""Ctrl-C, a kill and a failed start leave nothing behind, and a second run at once works."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from common.installation import PROJECT
from hosts.cca import loader
from tests.end_to_end.conftest import DEADLINE_S, GRPC_BASE_PORT, environment, traces, wait_for_senders, wait_until_clean


def start(scenario: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "testbed", "run", str(scenario), "--time", "real", "--grpc-base-port", str(GRPC_BASE_PORT)]
    return subprocess.Popen(
        command, cwd=PROJECT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: signal.Signals(number).name)
def test_a_run_that_is_ended_leaves_nothing(long_scenario: Path, signal_number: int) -> None:
    before = traces()
    run = start(long_scenario)
    try:
        wait_for_senders(run)
        os.kill(run.pid, signal_number)
        _, errors = run.communicate(timeout=DEADLINE_S)
    finally:
        if run.poll() is None:
            run.kill()
            run.communicate()
    assert run.returncode != 0
    assert "Traceback" not in errors
    wait_until_clean(before)


@pytest.mark.usefixtures("nothing_left_behind")
def test_what_was_registered_before_a_killed_run_stays(long_scenario: Path) -> None:
    added, _ = loader.register_possible(["nodectl"])
    if not added:
        pytest.skip("this kernel takes no congestion control of ours, or has it already")
    try:
        before = traces()
        run = start(long_scenario)
        wait_for_senders(run)
        run.kill()
        run.communicate()
        wait_until_clean(before)
    finally:
        loader.unregister(added)


@pytest.mark.usefixtures("nothing_left_behind")
def test_a_taken_grpc_port_is_one_clear_line(long_scenario: Path) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", GRPC_BASE_PORT + 1))
        other.listen()
        run = start(long_scenario)
        _, errors = run.communicate(timeout=DEADLINE_S)
    assert run.returncode == 2
    assert f"127.0.0.1:{GRPC_BASE_PORT + 1} is taken" in errors
    assert "Traceback" not in errors
