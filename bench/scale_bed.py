"""A switch with one port that takes part, its controller, and thousands of senders: for bench/scale.py and bench/scale_level.py."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.interfaces import interfaces
from bench.many_senders import ManySenders
from bench.tools import PROJECT, embedded
from common.errors import UserError
from controller.status_client import ask
from protocol.constants import CPU_PORT
from protocol.variant import Variant, VariantName
from protocol.wire import Adjustment, Flags, MessageType, Negotiation, TransmissionId

HOST_PORT, DATA_PORT = 1, 2
RECORD_KBPS = 10_000
SMALL_STORE = 2_000
"""Records that fit into the usual store without a refusal, by far (docs/scale.md)."""
LARGE_STORE_WAY_BITS = 14
RTT_US = 1
"""So that Q_T is 1 whatever came before."""
REFRESHED_AFTER_S = 8.0
"""The senders refresh their records this often; real ones do after 5 s, and are given up after 15."""
LIMIT_S = 240.0
POLL_S = 0.02
SETTLED_S = 1.0
SETTLED_EVENTS = 5
"""That come in that time at the most when all is over: the controller compares sums now and then."""
CHUNK = 500
NS_PER_S = 1_000_000_000


class Bed:
    """A switch with one port that takes part, its controller, and the hosts."""

    def __init__(self, folder: Path, ends: tuple[str, str, str, str], grpc_port: int, capacity_bps: int, variant: Variant) -> None:
        senders_on, inside_senders, inside_receiver, receiver_on = ends
        self.socket = folder / "status.sock"
        address = f"127.0.0.1:{grpc_port}"
        program, p4info = folder / "nodectl.json", folder / "nodectl.p4info.txtpb"
        options = ["--arch", "v1model", "--std", "p4-16", *(f"-D{name}" for name in variant.defines), "--p4runtime-files", str(p4info)]
        source = PROJECT / "p4src" / variant.design.program
        subprocess.run([embedded("p4c-bm2-ss").command, *options, "-o", program, source], check=True)
        description = folder / "network.json"
        description.write_text(json.dumps({"switches": [_described(address, capacity_bps)]}))
        ports = ["-i", f"{HOST_PORT}@{inside_senders}", "-i", f"{DATA_PORT}@{inside_receiver}"]
        started = [*ports, "--device-id", "1", "--no-p4", "--", "--grpc-server-addr", address, "--cpu-port", str(CPU_PORT)]
        self._log = (folder / "log").open("w+")
        self.switch = self._start([str(embedded("simple_switch_grpc").command), *started])
        words = ["--network", str(description), "--p4info", str(p4info), "--pipeline", str(program), "--status-socket", str(self.socket)]
        words += [] if variant.basis is VariantName.PAPER else ["--variant", variant.basis]
        self.controller = self._start([sys.executable, "-m", "controller", *words])
        self.hosts = ManySenders(senders_on, receiver_on)
        self._rates_kbps: dict[int, int] = {}
        self._refreshed_s = time.monotonic()

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=self._log)

    def close(self) -> None:
        """Ends everything."""
        self.hosts.close()
        for process in (self.controller, self.switch):
            process.terminate()
            process.wait(10)
        self._log.close()

    def wait(self, what: str, is_so: Callable[[], bool]) -> None:
        """Until it is so.

        Raises:
            UserError: it has not come to be, or a process has ended.
        """
        give_up_s = time.monotonic() + LIMIT_S
        while not is_so():
            if time.monotonic() > give_up_s or any(process.poll() is not None for process in (self.controller, self.switch)):
                self._log.seek(0)
                raise UserError(f"waited in vain for {what}: {self._log.read()[-2000:]}")
            time.sleep(POLL_S)

    def told(self) -> dict[str, Any]:
        """The controller's status of its switch."""
        (switch,) = ask(self.socket, "switches")["switches"]
        return dict(switch)

    def is_ready(self) -> bool:
        """Whether the controller has agreed with its switch."""
        try:
            return bool(self.told()["is_synchronised"])
        except UserError:
            return False

    def cpu_s(self) -> tuple[float, float]:
        """Processor time of controller and switch since they began, s."""
        return _cpu_s(self.controller.pid), _cpu_s(self.switch.pid)

    def fill(self, records: int) -> None:
        """Senders 1 … records get as much as they ask for, which is a part of the port each.

        Raises:
            UserError: somebody was refused, or a message was lost.
        """
        for first in range(1, records + 1, CHUNK):
            chunk = range(first, min(first + CHUNK, records + 1))
            self.hosts.forget()
            self.hosts.send_all((number, request(number, RECORD_KBPS)) for number in chunk)
            self.wait("the records", lambda chunk=chunk: self.hosts.count(MessageType.SUCCESS) >= len(chunk))  # type: ignore[misc]
            self._rates_kbps.update(dict.fromkeys(chunk, RECORD_KBPS))
            self._keep_alive()
        self.settle()

    def settle(self) -> None:
        """Until little comes to the controller any more."""
        before = -SETTLED_EVENTS - 1
        while (now := self.told()["events"]) > before + SETTLED_EVENTS:
            before = now
            time.sleep(SETTLED_S)
            self._keep_alive()

    def acknowledge(self) -> None:
        """The senders refresh their records at the rates that they were told."""
        granted = [message for message in self.hosts.messages(MessageType.SUCCESS) if isinstance(message, Negotiation)]
        self._rates_kbps |= {message.id.destination_id: message.max_kbps for message in granted}
        told = [message for message in self.hosts.messages(MessageType.REDUCE) if isinstance(message, Adjustment)]
        self._rates_kbps |= {message.id.destination_id: message.speed_kbps for message in told}
        self._refresh()
        self.settle()

    def _keep_alive(self) -> None:
        if time.monotonic() - self._refreshed_s >= REFRESHED_AFTER_S:
            self._refresh()

    def _refresh(self) -> None:
        self._refreshed_s = time.monotonic()
        self.hosts.send_all((number, request(number, rate, Flags.REFRESH)) for number, rate in self._rates_kbps.items())


@contextmanager
def bed(grpc_port: int, capacity_bps: int, variant: Variant) -> Iterator[Bed]:
    """A bed that is ready."""
    with tempfile.TemporaryDirectory() as folder, interfaces() as ends:
        made = Bed(Path(folder), ends, grpc_port, capacity_bps, variant)
        try:
            made.wait("the controller", made.is_ready)
            yield made
        finally:
            made.close()


def identity(number: int) -> TransmissionId:
    """Of a sender's only transmission."""
    return TransmissionId(number * 0x9E3779B97F4A7C15 & (1 << 64) - 1, number)


def request(number: int, max_kbps: int, flags: Flags = Flags.NONE) -> Negotiation:
    """A sender's request."""
    return Negotiation(MessageType.REQUEST, identity(number), max_kbps, 0, RTT_US, flags=flags)


def _described(address: str, capacity_bps: int) -> dict[str, Any]:
    routes = [
        {"prefix": prefix, "port": port, "source_mac": "02:00:00:00:00:fe", "destination_mac": "02:00:00:00:00:01"}
        for prefix, port in (("10.0.0.0/16", HOST_PORT), ("10.1.0.0/16", DATA_PORT))
    ]
    port = {"port": DATA_PORT, "capacity_bps": capacity_bps, "peer": "receiver"}
    return {"name": "s1", "device_id": 1, "grpc_addr": address, "ports": [port], "routes": routes}


def _cpu_s(pid: int) -> float:
    """Of all threads, from the scheduler's own count: finer than clock ticks."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / NS_PER_S


def difference(before: tuple[float, float], after: tuple[float, float]) -> tuple[float, float]:
    """Processor time of controller and switch between two looks at it, s."""
    return after[0] - before[0], after[1] - before[1]
