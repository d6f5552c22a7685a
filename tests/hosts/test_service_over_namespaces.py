"""The host service with programs that know nothing of it, on an emulated path: both ways at once, many of one pair. Root only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.transfer import registered
from hosts.service.connection_watch import State
from tests.harness.waiting import wait_for
from tests.hosts.agent_program import END_S, ROOT
from tests.hosts.emulated_path import repeated_if_unfaithful

ONE_WAY_S = 0.01
LINK_BPS = 20_000_000
GRANTED_MBPS = 3.0
LOOK_S = 0.1
PAYLOAD_SHARE = 1000 / 1066
CONNECTIONS = 3
SHORT_BYTES = 200
SENDING_S = 3.0
ALONE_S = 8.0
"""Of which nobody answers for some 3.5 s."""

FIRST_WINDOW_BPS = 10 * 1000 * 8 / (2 * ONE_WAY_S)
"""The rate of a connection as long as nobody has answered: its first window each round trip."""

NODECTL = (sys.executable, "-m", "hosts.service")


def link() -> Direction:
    return Direction(rate_bps=LINK_BPS, delay_s=ONE_WAY_S, queue_packets=200)


@contextmanager
def started(*command: str, wait_for: str = "") -> Iterator[subprocess.Popen[str]]:
    """A program until the block ends; it has said ``wait_for`` before the block begins."""
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        while wait_for:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            if wait_for in line:
                break
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=END_S)


def service(path: EmulatedPath, host: str, log: Path, *options: str) -> Any:
    command = path.command(host, *NODECTL, "serve", "--log", str(log), "--grants-mbps", str(GRANTED_MBPS), *options)
    return started(*command, wait_for="ready")


def events(log: Path, name: str) -> list[dict[str, Any]]:
    return [event for event in map(json.loads, log.read_text().splitlines()) if event["event"] == name]


def run(command: Sequence[str]) -> str:
    result = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def plain(path: EmulatedPath, host: str, role: str, seconds: float, *before: str, count: int = CONNECTIONS) -> list[str]:
    return path.command(host, *before, sys.executable, "-m", "tests.hosts.plain_program", role, path.B, str(count), str(seconds))


def connections(path: EmulatedPath, host: str) -> list[dict[str, Any]]:
    """The connections that the service of a host lists."""
    found: list[dict[str, Any]] = json.loads(run(path.command(host, *NODECTL, "status")))["connections"]
    return found


def got_bps(process: subprocess.Popen[str]) -> list[float]:
    assert process.stdout is not None
    found: list[float] = json.loads(process.stdout.readline())
    return found


@repeated_if_unfaithful
def test_both_ways_at_once_with_a_service_for_each_whole_host(tmp_path: Path) -> None:
    with (
        registered("nodectl"),
        EmulatedPath(link(), link()) as path,
        service(path, "a", tmp_path / "a.jsonl"),
        service(path, "b", tmp_path / "b.jsonl"),
        started(*plain(path, "b", "serve", SENDING_S), wait_for="listening") as server,
    ):
        forward_bps = json.loads(run(plain(path, "a", "connect", SENDING_S)))
        back_bps = got_bps(server)
        for host in "ab":
            wait_for(f"all connections to be over on {host}", lambda host=host: not connections(path, host), END_S, LOOK_S)  # type: ignore[misc]
    assert [*forward_bps, *back_bps] == pytest.approx([GRANTED_MBPS * 1e6 * PAYLOAD_SHARE] * 2 * CONNECTIONS, rel=0.05)
    for name in "ab":
        assert len(events(tmp_path / f"{name}.jsonl", "rate")) == CONNECTIONS
        assert len(events(tmp_path / f"{name}.jsonl", "over")) == CONNECTIONS


@repeated_if_unfaithful
def test_a_command_with_a_service_of_its_own(tmp_path: Path) -> None:
    with (
        registered("nodectl"),
        EmulatedPath(link(), link()) as path,
        service(path, "b", tmp_path / "b.jsonl"),
        started(*plain(path, "b", "serve", SENDING_S), wait_for="listening") as server,
    ):
        options = ("--first-rtt", "wait", "--grants-mbps", str(GRANTED_MBPS), "--log", str(tmp_path / "a.jsonl"))
        run(plain(path, "a", "connect", SENDING_S, *NODECTL, "run", *options))
        assert got_bps(server) == pytest.approx([GRANTED_MBPS * 1e6 * PAYLOAD_SHARE] * CONNECTIONS, rel=0.05)
    assert len(events(tmp_path / "a.jsonl", "over")) == CONNECTIONS


@repeated_if_unfaithful
def test_where_nobody_answers_programs_go_on_with_the_systems_congestion_control(tmp_path: Path) -> None:
    with (
        registered("nodectl"),
        EmulatedPath(link(), link()) as path,
        started(*plain(path, "b", "serve", 0.0, count=1), wait_for="listening") as server,
    ):
        options = ("--log", str(tmp_path / "a.jsonl"), "--alone", "reno")
        run(plain(path, "a", "connect", ALONE_S, *NODECTL, "run", *options, count=1))
        (alone_bps,) = got_bps(server)
    assert [event["goes_on_with"] for event in events(tmp_path / "a.jsonl", "unanswered")] == ["reno"]
    assert alone_bps > FIRST_WINDOW_BPS * 1.5


@repeated_if_unfaithful
def test_what_is_small_is_sent_without_being_asked_for(tmp_path: Path) -> None:
    with (
        registered("nodectl"),
        EmulatedPath(link(), link()) as path,
        service(path, "a", tmp_path / "a.jsonl"),
        started(*path.command("b", sys.executable, "-c", RECEIVER, path.B), wait_for="listening") as receiver,
    ):
        run(path.command("a", sys.executable, "-c", SENDER, path.B, str(SHORT_BYTES)))
        assert receiver.stdout is not None
        assert receiver.stdout.readline().strip() == str(SHORT_BYTES)
    assert (tmp_path / "a.jsonl").read_text() == ""


@repeated_if_unfaithful
def test_the_testbeds_own_senders_and_receivers_share_the_services_port(tmp_path: Path) -> None:
    hosts = (sys.executable, "-m", "hosts")
    with (
        registered("nodectl"),
        EmulatedPath(link(), link()) as path,
        service(path, "a", tmp_path / "a.jsonl"),
        service(path, "b", tmp_path / "b.jsonl"),
        started(*path.command("a", *hosts, "receive", "--bind", path.A), wait_for="ready"),
        started(*path.command("b", *hosts, "receive", "--bind", path.B), wait_for="ready"),
    ):
        sending = [("a", path.B), ("a", path.B), ("b", path.A)]
        programs = [
            subprocess.Popen(
                path.command(host, *hosts, "send", "--to", to, "--bytes", "300000", "--summary", str(tmp_path / f"{number}.json")),
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            for number, (host, to) in enumerate(sending)
        ]
        assert [program.wait(timeout=60) for program in programs] == [0, 0, 0]
    for number in range(len(sending)):
        summary = json.loads((tmp_path / f"{number}.json").read_text())
        assert summary["negotiation"] == "allocated"
        assert {rate for _, rate in summary["rates"]} == {GRANTED_MBPS * 1e6}
    for name in "ab":
        assert events(tmp_path / f"{name}.jsonl", "rate") == []  # they negotiate for themselves


RECEIVER = """
import socket, sys
with socket.create_server((sys.argv[1], 5201)) as listener:
    print("listening", flush=True)
    connection, _ = listener.accept()
    print(sum(len(part) for part in iter(lambda: connection.recv(65536), b"")), flush=True)
"""
SENDER = """
import socket, sys
with socket.create_connection((sys.argv[1], 5201)) as connection:
    connection.sendall(bytes(int(sys.argv[2])))
"""


def test_states_are_numbered_as_in_the_program() -> None:
    source = (ROOT / "hosts/service/connection_watch.bpf.c").read_text()
    for state in State:
        assert f"STATE_{state.name} = {state.value}" in source
