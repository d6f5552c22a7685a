"""Agents as programs, on this machine's loopback addresses: no privileges, no network, and nothing that depends on a rate being kept."""

from __future__ import annotations

import contextlib
import json
import resource
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.collect.samples import ReceiverSamples
from protocol.constants import TCP_DATA_PORT
from protocol.wire import UDP_PORT, Message, MessageType, Negotiation, decode
from tests.hosts.agent_program import END_S, ROOT, AgentProgram, agent, summaries

A, B, SCRIPTED, NOBODY = "127.47.2.1", "127.47.2.2", "127.47.2.3", "127.47.2.4"
GRANTED_BPS = 8_000_000
SHORT_COUNT = 200
SHORT_SPREAD_S = 1.0
OWN_THREADS_MAX = 12


@pytest.fixture
def a() -> Iterator[AgentProgram]:
    with agent(A, "--max-rate-bps", str(GRANTED_BPS)) as program:
        yield program


@pytest.fixture
def b() -> Iterator[AgentProgram]:
    with agent(B, "--max-rate-bps", str(GRANTED_BPS)) as program:
        yield program


def one(name: str, to: str, **more: object) -> dict[str, Any]:
    """A transmission with a scheme that every kernel has, which negotiates if it is told to."""
    return {"name": name, "to": to, "cc": "reno", **more}


def received(samples: ReceiverSamples, summary: dict[str, Any]) -> float:
    connection = samples.of(summary)
    assert connection is not None
    return float(connection.received.value[-1])


def test_both_directions_at_once(a: AgentProgram, b: AgentProgram, tmp_path: Path) -> None:
    for host, name in ((a, "a"), (b, "b")):
        host.record_to(tmp_path / f"received-{name}.csv", interval_s=0.001)
    begin_s = time.monotonic() + 1.0
    wanted = {"negotiates": True, "bytes": 1_000_000, "start_at": begin_s, "content_id": 77}
    a.send(tmp_path / "a.json", one("there", B, **wanted), summaries=str(tmp_path / "a.jsonl"))
    b.send(tmp_path / "b.json", one("back", A, **wanted), summaries=str(tmp_path / "b.jsonl"))
    assert [host.wait_for("sent")["status"] for host in (a, b)] == [0, 0]
    for host in (a, b):
        host.record_to(None)
    there, back = summaries(tmp_path / "a.jsonl")["there"], summaries(tmp_path / "b.jsonl")["back"]
    assert there["first_data_s"] < back["end_s"]
    assert back["first_data_s"] < there["end_s"]
    for summary, file in ((there, "received-b.csv"), (back, "received-a.csv")):
        assert (summary["outcome"], summary["negotiation"], summary["content_id"]) == ("complete", "allocated", f"{77:016x}")
        assert [rate for _, rate in summary["rates"]] == [GRANTED_BPS]
        assert received(ReceiverSamples(tmp_path / file), summary) == 1_000_000


def test_unlike_schemes_between_the_same_two_hosts(a: AgentProgram, b: AgentProgram, tmp_path: Path) -> None:
    b.record_to(tmp_path / "received.csv")
    end_s = time.monotonic() + 2.0
    plans = [
        one("negotiated", B, negotiates=True, stop_at=end_s),
        one("cubic", B, cc="cubic", bytes=5_000_000),
        one("reno", B, bytes=70_000),
    ]
    a.send(tmp_path / "plan.json", *plans, summaries=str(tmp_path / "s.jsonl"))
    assert a.wait_for("sent") == {"event": "sent", "plan": str(tmp_path / "plan.json"), "status": 0, "failed": {}}
    b.record_to(None)
    samples, results = ReceiverSamples(tmp_path / "received.csv"), summaries(tmp_path / "s.jsonl")
    assert list(results) == ["negotiated", "cubic", "reno"]
    assert len({result["local_port"] for result in results.values()}) == 3
    assert [result["congestion_control_at_end"] for result in results.values()] == ["reno", "cubic", "reno"]
    assert [result["negotiation"] for result in results.values()] == ["allocated", "none", "none"]
    assert received(samples, results["cubic"]) == 5_000_000
    assert received(samples, results["reno"]) == 70_000
    negotiated = results["negotiated"]
    assert 0 < received(samples, negotiated) <= GRANTED_BPS / 8 * (negotiated["end_s"] - negotiated["first_data_s"]) + 1e6
    assert results["cubic"]["end_s"] < negotiated["end_s"], "they are sent at the same time"


@pytest.mark.real_time
def test_two_hundred_short_transmissions(a: AgentProgram, b: AgentProgram, tmp_path: Path) -> None:
    b.record_to(tmp_path / "received.csv", interval_s=0.001)
    begin_s = time.monotonic() + 1.0
    starts = {f"t{n}": begin_s + SHORT_SPREAD_S * n / SHORT_COUNT for n in range(SHORT_COUNT)}
    plans = [
        one(name, B, bytes=1000 + n, start_at=start_s, cc=("reno", "cubic")[n % 2], negotiates=n % 4 == 0)
        for n, (name, start_s) in enumerate(starts.items())
    ]
    halves = {tmp_path / "even": plans[::2], tmp_path / "odd": plans[1::2]}
    for file, half in halves.items():
        a.send(file.with_suffix(".json"), *half, summaries=str(file.with_suffix(".jsonl")))
        a.wait_for("sending")
    for host in (a, b):
        assert len(list(Path(f"/proc/{host.process.pid}/task").iterdir())) < OWN_THREADS_MAX, "no thread for each transmission"
    assert [a.wait_for("sent")["status"] for _ in halves] == [0, 0]
    b.record_to(None)
    assert len(list(Path(f"/proc/{b.process.pid}/task").iterdir())) < OWN_THREADS_MAX
    samples = ReceiverSamples(tmp_path / "received.csv")
    results = {name: summary for file in halves for name, summary in summaries(file.with_suffix(".jsonl")).items()}
    assert len(results) == SHORT_COUNT
    assert {summary["outcome"] for summary in results.values()} == {"complete"}
    assert [received(samples, results[f"t{n}"]) for n in range(SHORT_COUNT)] == [1000 + n for n in range(SHORT_COUNT)]
    late_s = [results[name]["start_s"] - start_s for name, start_s in starts.items()]
    assert min(late_s) >= 0
    assert statistics.median(late_s) < 0.1


def test_what_it_cannot_do_it_says_and_goes_on(a: AgentProgram, b: AgentProgram, tmp_path: Path) -> None:
    a.say("send plan.json")
    assert a.wait_for("error")["line"] == "send plan.json"
    a.tell(command="send", plan=str(tmp_path / "none.json"))
    error = a.wait_for("error")
    assert (error["plan"], "cannot be read" in error["message"]) == (str(tmp_path / "none.json"), True)
    a.send(tmp_path / "wrong.json", {"to": "10.0.0.300", "bytes": 1})
    assert "transmissions.0.to" in a.wait_for("error")["message"]
    a.send(tmp_path / "scheme.json", one("A", B, bytes=1, cc="nosuch"))
    assert a.wait_for("error")["message"] == f"{tmp_path / 'scheme.json'}: transmissions.0: there is no scheme nosuch"
    a.record_to(tmp_path / "before.csv")
    a.tell(command="samples", file=str(tmp_path / "nowhere" / "r.csv"))
    assert "cannot be written" in a.wait_for("error")["message"]
    a.send(tmp_path / "nobody.json", one("A", NOBODY, bytes=1))
    sent = a.wait_for("sent")
    assert sent["status"] == 1
    assert f"cannot connect to {NOBODY} port {TCP_DATA_PORT}" in sent["failed"]["A"]
    a.send(tmp_path / "right.json", one("A", B, bytes=1))
    assert a.wait_for("sent")["status"] == 0
    assert a.end() == 0


def test_names_that_are_in_use_fail_and_leave_the_other_alone(a: AgentProgram, b: AgentProgram, tmp_path: Path) -> None:
    wanted = {"negotiates": True, "content_id": 5, "stop_at": time.monotonic() + 1.5}
    a.send(tmp_path / "1.json", one("first", B, **wanted), summaries=str(tmp_path / "1.jsonl"))
    a.wait_for("sending")
    a.send(tmp_path / "2.json", one("second", B, **wanted, start_at=time.monotonic() + 0.5), summaries=str(tmp_path / "2.jsonl"))
    sent = a.wait_for("sent")
    assert (sent["status"], "has the content_id" in sent["failed"]["second"]) == (1, True)
    assert a.wait_for("sent")["status"] == 0
    assert summaries(tmp_path / "1.jsonl")["first"]["messages"]["requests"] == 1


def test_it_ends_with_its_standard_input_when_all_is_sent(a: AgentProgram, b: AgentProgram, tmp_path: Path) -> None:
    a.send(tmp_path / "plan.json", one("A", B, bytes=1000, start_at=time.monotonic() + 0.5))
    assert a.process.stdin is not None
    a.process.stdin.close()
    assert a.wait_for("sent")["status"] == 0
    assert a.process.wait(timeout=END_S) == 0
    assert b.process.poll() is None


class ScriptedPeer:
    """A receiver that grants what is asked, drops what comes, and keeps the messages."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.has_data = threading.Event()
        self._listener = socket.create_server((SCRIPTED, TCP_DATA_PORT))
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((SCRIPTED, UDP_PORT))
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._discard, self._grant)]
        for thread in self._threads:
            thread.start()

    def _discard(self) -> None:
        with contextlib.suppress(OSError), self._listener.accept()[0] as connection:
            while connection.recv(1 << 16):
                self.has_data.set()

    def _grant(self) -> None:
        while data := self._socket.recvfrom(100):
            message = decode(data[0])
            self.messages.append(message)
            if isinstance(message, Negotiation):
                reply = Negotiation(MessageType.SUCCESS, message.id, 1000, message.min_kbps, message.rtt_us, flags=message.flags)
                self._socket.sendto(reply.encode(), data[1])
            elif len([one for one in self.messages if one.type is MessageType.TERMINATE]) == 2:
                return

    def wait_for_the_end(self) -> list[MessageType]:
        self._threads[1].join(timeout=END_S)
        self._socket.close()
        self._listener.close()
        return [message.type for message in self.messages]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_terminates_what_is_sent(a: AgentProgram, tmp_path: Path, number: signal.Signals) -> None:
    peer = ScriptedPeer()
    later_s = time.monotonic() + 60
    plans = [one("now", SCRIPTED, negotiates=True, stop_at=later_s), one("later", SCRIPTED, start_at=later_s - 1, stop_at=later_s)]
    a.send(tmp_path / "plan.json", *plans, summaries=str(tmp_path / "s.jsonl"))
    a.wait_for("sending")
    assert peer.has_data.wait(END_S)  # it sends once it knows its rate
    assert a.end(number) == 130
    assert peer.wait_for_the_end() == [MessageType.REQUEST, MessageType.TERMINATE, MessageType.TERMINATE]
    results = summaries(tmp_path / "s.jsonl")
    assert {result["outcome"] for result in results.values()} == {"interrupted"}
    assert (results["now"]["negotiation"], results["later"]["local_port"]) == ("allocated", 0)
    assert a.wait_for("sent")["status"] == 130


def test_connections_that_cannot_be_taken_in_end_it(a: AgentProgram, b: AgentProgram, tmp_path: Path) -> None:
    opened = len(list(Path(f"/proc/{b.process.pid}/fd").iterdir()))
    resource.prlimit(b.process.pid, resource.RLIMIT_NOFILE, (opened, opened))
    a.send(tmp_path / "plan.json", one("A", B, bytes=1))
    assert b.process.wait(timeout=END_S) == 2
    assert b.process.stderr is not None
    assert b.process.stderr.read() == "no more connections can be taken in: Too many open files\n"
    assert a.wait_for("sent")["status"] == 1


def test_a_port_that_is_taken_gives_one_clear_line(a: AgentProgram) -> None:
    again = subprocess.run(
        [sys.executable, "-m", "hosts", "agent", "--bind", A],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert again.returncode == 2
    assert again.stderr.startswith(f"UDP port {UDP_PORT} on {A} is taken")
    assert "Traceback" not in again.stderr
    assert json.loads(again.stdout or "{}") == {}
