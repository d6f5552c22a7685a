"""Looking into a running switch: `p4switch show` and `p4switch trace`, and `--trace` of simple_switch_grpc."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.generator import frames
from bench.interfaces import interfaces
from bench.tools import PROJECT, RELEASE
from tests.harness.waiting import LIMIT_S, wait_for

GRPC_PORT = 51110

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="veth interfaces need root")


def send_frames(interface: str) -> None:
    """Some frames that the router forwards."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
        raw.bind((interface, 0))
        for line in frames(200).split():
            raw.send(bytes.fromhex(line))


@dataclass
class Running:
    socket: Path
    trace: Path
    outside: str

    def show(self, *words: str) -> str:
        result = subprocess.run(
            [RELEASE / "p4switch", "show", self.socket, *words], capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        return result.stdout + result.stderr


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("running")
    program, socket, trace = folder / "router.json", folder / "switch.sock", folder / "trace.jsonl"
    subprocess.run([RELEASE / "p4c-bm2-ss", "-o", program, PROJECT / "bench" / "programs" / "router.p4"], check=True)
    with interfaces() as (outside_in, inside_in, inside_out, _):
        options: list[str | Path] = ["--management-socket", socket, "--trace=udp dst 10.0.2.0/24 count 1", "--trace-file", trace]
        ports = ["-i", f"1@{inside_in}", "-i", f"2@{inside_out}"]
        target = ["--", "--grpc-server-addr", f"127.0.0.1:{GRPC_PORT}"]
        command: list[str | Path] = [RELEASE / "simple_switch_grpc", *ports, *options, program, *target]
        switch = subprocess.Popen(command)
        try:

            def is_up() -> bool:
                assert switch.poll() is None, "the switch has ended"
                return socket.exists()

            wait_for("the management socket", is_up)
            yield Running(socket, trace, outside_in)
        finally:
            switch.terminate()
            switch.wait(10)


def test_a_trace_from_the_start_goes_to_a_file(running: Running) -> None:
    send_frames(running.outside)

    def ended() -> list[str]:
        lines = running.trace.read_text().splitlines() if running.trace.exists() else []
        return lines if lines and "sent" in lines[-1] else []

    events = [json.loads(line) for line in wait_for("the trace's end", ended)]
    assert [event["event"] for event in events][:2] == ["received", "parser_state"]
    assert {event["packet"] for event in events} == {1}


def test_show_tables_and_counters(running: Running) -> None:
    send_frames(running.outside)
    tables = running.show("tables")
    assert "RouterIngress.ipv4_routes" in tables
    assert "tbl_" not in tables
    head, line, *rows = running.show("table", "ipv4_routes").splitlines()
    assert head.startswith("hdr.ipv4.destination")
    assert set(line) == {"-", " "}
    assert "10.0.2.0/24" in rows[1]
    assert "RouterIngress.forward(port=2" in rows[1]
    assert rows[-1].startswith("(default)")
    shown = next(row for row in json.loads(running.show("tables", "--json")) if row["table"].endswith("ipv4_routes"))
    entries = json.loads(running.show("table", "ipv4_routes", "--json"))
    assert shown["hits"] == sum(row["hits"] for row in entries[:-1]) > 0
    assert shown["misses"] == entries[-1]["hits"]
    dumped = subprocess.run(
        [RELEASE / "simple_switch_CLI", "--management-socket", running.socket],
        input="table_dump ipv4_routes\n", capture_output=True, text=True, timeout=LIMIT_S, check=True,
    ).stdout  # fmt: skip
    assert "Dumping entry 0x0\n" in dumped
    assert "Hits" not in dumped, "hits are `show`'s: dumps stay as BMv2 prints them"
    (counted,) = json.loads(running.show("counter", "received", "--json"))
    assert counted["cell"] == 1
    assert counted["packets"] > 0
    queues = json.loads(running.show("queues", "--json"))
    assert {row["port"] for row in queues} == {1, 2}
    assert next(row for row in queues if row["port"] == 2)["packets sent"] > 0


def test_what_cannot_be_shown_is_told(running: Running) -> None:
    assert "there are" in running.show("table", "nothing")
    assert "cannot be shown" in running.show("weather")
    assert "there is no switch" in running.show("tables", "--switch", "s9")


def test_trace_of_a_running_switch(running: Running) -> None:
    command: list[str | Path] = [RELEASE / "p4switch", "trace", running.socket, "in", "1", "count", "2", "brief"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as trace:

        def has_seen_enough() -> bool:
            send_frames(running.outside)
            return trace.poll() is not None

        wait_for("the end of the trace", has_seen_enough)
        text, _ = trace.communicate(timeout=LIMIT_S)
    assert trace.returncode == 0
    assert "#1   parser start → parse_ipv4" in text
    assert "hit hdr.ipv4.destination=10.0.2.0/24 (0x0a000200/24) → RouterIngress.forward(port=2" in text
    assert "#2 sent by port 2" in text
    assert "#3" not in text


def test_a_filter_that_makes_no_sense(running: Running) -> None:
    command: list[str | Path] = [RELEASE / "p4switch", "trace", running.socket, "fly"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert result.returncode == 2
    assert '"fly" is not known' in result.stderr


def test_a_trace_is_recorded_beside(running: Running, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    trace = subprocess.Popen(
        [RELEASE / "p4switch", "trace", running.socket, "--record", record, "--", "udp", "count", "1"], stdout=subprocess.PIPE, text=True
    )
    wait_for("the file of the trace", record.exists)
    end_s = time.monotonic() + 10
    while trace.poll() is None and time.monotonic() < end_s:
        send_frames(running.outside)
    said, _ = trace.communicate(timeout=LIMIT_S)
    events = [json.loads(line) for line in record.read_text().splitlines()]
    assert said.startswith("#1 received on port")
    assert [events[0][key] for key in ("packet", "event", "switch")] == [1, "received", "switch0"]
    assert events[-1]["event"] in ("sent", "dropped")
