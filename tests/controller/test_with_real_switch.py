"""The controller process with the real pipeline on a real switch; requests come in as packets. Also over a restart."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path
from typing import IO

import pytest

from common.units import BITS_PER_MEGABIT
from controller import capacity_change
from controller.status_client import ask
from protocol.constants import CPU_PORT
from protocol.wire import Adjustment, Flags, MessageType, Negotiation, TransmissionId
from tests.controller.tap_hosts import TapHost, skip_without_namespaces, tap_namespace
from tests.harness.free_port import free_port
from tests.harness.switches import REPOSITORY, binaries
from tests.harness.waiting import LIMIT_S, wait_for

CAPACITY_BPS = 36_000_000
RTT_US = 20_000
HOST_PORT, TCP_DATA_PORT = 1, 2
RECEIVER = "10.1.0.1"
NEEDED = ("p4switch", "p4c-bm2-ss")


def sender(number: int) -> str:
    return str(IPv4Address(0x0A000000 + number))


def identity(number: int) -> TransmissionId:
    return TransmissionId(0xC0FFEE00 + number, number, 0)


class Testbed:
    """One switch, a host with many senders on port 1, a receiver on port 2, and a controller that comes and goes."""

    __test__ = False

    def __init__(self, folder: Path, namespace: Path, capacity_bps: int = CAPACITY_BPS) -> None:
        self.folder = folder
        self.namespace = namespace
        self.capacity_bps = capacity_bps
        self.address = f"127.0.0.1:{free_port()}"
        self.p4info, self.pipeline = folder / "nodectl.p4info.txtpb", folder / "nodectl.json"
        self.socket = folder / "status.sock"
        self.switch: subprocess.Popen[str] | None = None
        self.controller: subprocess.Popen[str] | None = None
        self.controller_log = folder / "controller.log"
        self.hosts: list[TapHost] = []
        self._compile()
        self._describe()

    def _compile(self) -> None:
        command = [str(binaries() / "p4c-bm2-ss"), "--arch", "v1model", "--p4v", "16", "--p4runtime-files", str(self.p4info)]
        command += ["-o", str(self.pipeline), "p4src/nodectl.p4"]
        result = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr

    def _describe(self) -> None:
        ports = [
            {"port": port, "name": name, "tap": {"device": name, "netns": str(self.namespace)}}
            for port, name in ((HOST_PORT, "sender0"), (TCP_DATA_PORT, "receiver0"))
        ]
        switch = {"name": "s1", "device_id": 1, "grpc_addr": self.address, "cpu_port": CPU_PORT, "ports": ports}
        (self.folder / "switch.json").write_text(json.dumps({"switches": [switch]}))
        routes = [
            {"prefix": prefix, "port": port, "source_mac": "02:00:00:00:00:fe", "destination_mac": "02:00:00:00:00:01"}
            for prefix, port in (("10.0.0.0/16", HOST_PORT), ("10.1.0.0/16", TCP_DATA_PORT))
        ]
        described = {
            "name": "s1",
            "device_id": 1,
            "grpc_addr": self.address,
            "ports": [{"port": TCP_DATA_PORT, "capacity_bps": self.capacity_bps, "peer": "receiver"}],
            "routes": routes,
        }
        labels = {f"{sender(number)}>{RECEIVER}": chr(ord("A") + number - 1) for number in range(1, 4)}
        (self.folder / "net.json").write_text(json.dumps({"switches": [described], "labels": labels}))

    def start_switch(self) -> None:
        command = [str(binaries() / "p4switch"), "run", str(self.folder / "switch.json")]
        self.switch = self._start(command, self.folder / "switch.log")
        self.hosts = [
            TapHost(self.namespace, "sender0", answers=False),
            TapHost(self.namespace, "receiver0", answers=True),
        ]

    def stop_switch(self) -> None:
        for host in self.hosts:
            host.close()
        self.hosts.clear()
        _stop(self.switch)
        self.switch = None

    def start_controller(self) -> None:
        command = [sys.executable, "-m", "controller", "--network", str(self.folder / "net.json")]
        command += ["--p4info", str(self.p4info), "--pipeline", str(self.pipeline), "--status-socket", str(self.socket)]
        self.controller = self._start(command, self.controller_log)

    def stop_controller(self, number: int = signal.SIGTERM) -> None:
        _stop(self.controller, number)
        self.controller = None

    def close(self) -> None:
        self.stop_controller()
        self.stop_switch()

    def _start(self, command: list[str], log: Path) -> subprocess.Popen[str]:
        with log.open("a") as errors:
            process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=errors, text=True)
        output: IO[str] | None = process.stdout
        assert output is not None
        line = output.readline()
        assert line, f"{command[0]} did not start:\n{log.read_text()}"
        assert json.loads(line)["event"] == "ready"
        return process

    def request(self, number: int, max_kbps: int = 200_000, flags: Flags = Flags.NONE) -> int:
        """A request from the sender; the rate in the success."""
        host = self.hosts[0]
        seen = len(host.received)

        def answers() -> list[Negotiation]:
            return [
                message
                for message in host.received[seen:]
                if isinstance(message, Negotiation) and message.type == MessageType.SUCCESS and message.id == identity(number)
            ]

        host.send(Negotiation(MessageType.REQUEST, identity(number), max_kbps, 0, RTT_US, flags=flags), sender(number), RECEIVER)
        wait_for(f"the answer to request {number}", answers)
        return answers()[0].max_kbps

    def terminate(self, number: int) -> None:
        self.hosts[0].send(Adjustment(MessageType.TERMINATE, identity(number), 0), sender(number), RECEIVER)

    def told(self, kind: MessageType, number: int) -> list[int]:
        """Speeds of the adjustments that the sender was told."""
        return [
            message.speed_kbps
            for message in self.hosts[0].received
            if isinstance(message, Adjustment) and message.type == kind and message.id == identity(number)
        ]

    def shares(self) -> dict[str, int]:
        """Mbit/s by name, from the controller."""
        (port,) = ask(self.socket, "ports")["ports"]
        return {share["name"]: round(share["rate_bps"] / BITS_PER_MEGABIT) for share in port["shares"]}

    def is_in_step(self) -> bool:
        (switch,) = ask(self.socket, "switches")["switches"]
        return bool(switch["is_synchronised"])


def _stop(process: subprocess.Popen[str] | None, number: int = signal.SIGTERM) -> None:
    if process is None:
        return
    process.send_signal(number)
    try:
        process.wait(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


@pytest.fixture
def testbed(tmp_path: Path) -> Iterator[Testbed]:
    skip_without_namespaces()
    for name in NEEDED:
        if not (binaries() / name).exists():
            pytest.skip(f"the embedded toolchain is not built ({binaries() / name} is missing): run `make setup`")
    with tap_namespace("sender0", "receiver0") as namespace:
        bed = Testbed(tmp_path, namespace)
        try:
            bed.start_switch()
            bed.start_controller()
            yield bed
        finally:
            bed.close()
    if os.environ.get("NODECTL_SHOW_LOGS"):
        print(bed.controller_log.read_text())


@pytest.mark.real_time
def test_joining_leaving_and_a_restart_of_the_controller(testbed: Testbed) -> None:
    assert testbed.request(1) == 36_000
    assert testbed.request(2) == 18_000
    wait_for("A's reduce", lambda: testbed.told(MessageType.REDUCE, 1) == [18_000])
    wait_for("equal shares", lambda: testbed.shares() == {"A": 18, "B": 18})

    testbed.stop_controller(signal.SIGKILL)
    testbed.start_controller()
    wait_for("the records after the restart", lambda: testbed.shares() == {"A": 18, "B": 18})
    wait_for("agreement", testbed.is_in_step)
    assert "pipeline kept" in testbed.controller_log.read_text()

    assert testbed.request(3) == 12_000
    wait_for("reduces by the new controller", lambda: testbed.told(MessageType.REDUCE, 2) == [12_000])
    wait_for("both of A's reduces", lambda: testbed.told(MessageType.REDUCE, 1) == [18_000, 12_000])
    wait_for("equal shares", lambda: testbed.shares() == {"A": 12, "B": 12, "C": 12})

    testbed.terminate(2)
    wait_for("offers", lambda: testbed.told(MessageType.INCREASE, 1) and testbed.told(MessageType.INCREASE, 3))
    assert testbed.request(1, 18_000, Flags.RENEGOTIATION) == 18_000
    assert testbed.request(3, 18_000, Flags.RENEGOTIATION) == 18_000
    wait_for("shares of two", lambda: testbed.shares() == {"A": 18, "C": 18})
    wait_for("agreement", testbed.is_in_step)
    log = testbed.controller_log.read_text()
    assert "s1 port 2: C admitted at 12.0 Mbit/s, A reduced 18.0 → 12.0, B reduced 18.0 → 12.0" in log
    assert "WARNING" not in log


def test_a_link_that_changes_changes_the_shares(testbed: Testbed) -> None:
    assert testbed.request(1) == 36_000
    assert testbed.request(2) == 18_000
    wait_for("equal shares", lambda: testbed.shares() == {"A": 18, "B": 18})
    assert capacity_change.set_capacity(testbed.socket, "s1", TCP_DATA_PORT, 24_000_000) == {"reduced": 2, "offered": 0}
    wait_for("both reduces", lambda: [testbed.told(MessageType.REDUCE, number)[-1:] for number in (1, 2)] == [[12_000], [12_000]])
    assert testbed.request(3) == 8_000
    wait_for("equal shares of the slower link", lambda: testbed.shares() == {"A": 8, "B": 8, "C": 8})
    assert capacity_change.set_capacity(testbed.socket, "s1", TCP_DATA_PORT, 60_000_000) == {"reduced": 0, "offered": 3}
    wait_for("all offers", lambda: [testbed.told(MessageType.INCREASE, number)[-1:] for number in (1, 2, 3)] == [[20_000]] * 3)
    assert [testbed.request(number, 20_000, Flags.RENEGOTIATION) for number in (1, 2, 3)] == [20_000] * 3
    wait_for("equal shares of the faster link", lambda: testbed.shares() == {"A": 20, "B": 20, "C": 20})
    wait_for("agreement", testbed.is_in_step)


def test_a_switch_restart_is_survived(testbed: Testbed) -> None:
    assert testbed.request(1) == 36_000
    testbed.stop_switch()
    testbed.start_switch()
    wait_for("the pipeline again", lambda: testbed.controller_log.read_text().count("pipeline loaded") == 2)
    testbed.hosts[0].send(Negotiation(MessageType.REQUEST, identity(1), 36_000, 0, RTT_US, flags=Flags.REFRESH), sender(1), RECEIVER)
    wait_for("the record again", lambda: testbed.shares() == {"A": 36})


def test_a_silent_transmission_expires(testbed: Testbed) -> None:
    testbed.request(1)
    wait_for("its record", lambda: testbed.shares() == {"A": 36})
    wait_for("its end", lambda: testbed.shares() == {}, limit_s=25.0)
    assert "A timed out, 36.0 Mbit/s free again" in testbed.controller_log.read_text()
