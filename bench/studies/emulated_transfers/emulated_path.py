"""Two network namespaces joined by a link in user space: delay, bit rate, a queue and random loss, without the kernel's netem.

Only for some thousand packets a second. Needs root.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from topo.processors import KEEP_AWAKE_COMMAND, are_to_be_kept_awake

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
CLONE_NEWNET = 0x40000000
MTU = 1052
MACS = ("02:00:00:00:00:0a", "02:00:00:00:00:0b")
SEED = 20231129
SECOND_ADDRESS = bytes((10, 9, 0, 4))
LATE_S = 0.003
LATE_SHARE_MAX = 0.01
ATTEMPTS = 3


def why_no_namespaces() -> str | None:
    """Why network namespaces and TAP devices cannot be made here; None if they can."""
    if os.geteuid() != 0:
        return "not root"
    if not Path("/dev/net/tun").exists():
        return "no /dev/net/tun"
    return None


@dataclass
class Direction:
    """One direction of the link. ``arrived`` and ``arrived_bytes`` count frames that came from the sending side.

    ``lose_full_frame``: this frame is lost, counting those of full size to one address from 1. ``delay_from_s``: other delays,
    by source address. ``random_drop``: a full queue loses one of its packets by chance, which spares measurements of shares the phase
    effects of drop-tail (S. Floyd, V. Jacobson, 1992). ``to_second``: another link for frames to b's second address.
    """

    rate_bps: float | None = None
    delay_s: float = 0.0
    queue_packets: int = 1000
    loss: float = 0.0
    lose_full_frame: int | None = None
    delay_from_s: dict[str, float] = field(default_factory=dict)
    random_drop: bool = False
    to_second: Direction | None = None
    full_frames: Counter[bytes] = field(default_factory=Counter)
    arrived: int = 0
    arrived_bytes: int = 0
    lost: int = 0
    dropped: int = 0
    delivered: int = 0
    late: int = 0
    free_at_s: float = 0.0
    waiting: list[tuple[float, int, bytes]] = field(default_factory=list)
    leaving: list[float] = field(default_factory=list)

    def take(self, frame: bytes, now_s: float, chance: random.Random) -> None:
        """A frame enters; it is lost, dropped, or leaves later."""
        if self.to_second is not None and frame[30:34] == SECOND_ADDRESS:
            self.to_second.take(frame, now_s, chance)
            return
        self.arrived += 1
        self.arrived_bytes += len(frame)
        while self.leaving and self.leaving[0] <= now_s:
            self.leaving.pop(0)
        if len(self.leaving) >= self.queue_packets:
            self.dropped += 1
            if self.random_drop:
                self._put_in_for_another(frame, now_s, chance)
            return
        if self.rate_bps is None:
            sent_s = now_s
        else:
            sent_s = max(now_s, self.free_at_s) + len(frame) * 8 / self.rate_bps
            self.free_at_s = sent_s
            self.leaving.append(sent_s)
        is_full, address = len(frame) >= MTU, frame[30:34]
        self.full_frames[address] += is_full
        is_the_one = is_full and self.full_frames[address] == self.lose_full_frame
        if is_the_one or chance.random() < self.loss:
            self.lost += 1
            return
        delay_s = self.delay_from_s.get(".".join(map(str, frame[26:30])), self.delay_s) if self.delay_from_s else self.delay_s
        heapq.heappush(self.waiting, (sent_s + delay_s, self.arrived, frame))

    def _put_in_for_another(self, frame: bytes, now_s: float, chance: random.Random) -> None:
        """A frame that has not left is lost, those behind it move up, and ``frame`` is the last one."""
        queued = sorted(entry for entry in self.waiting if entry[0] - self.delay_s > now_s)
        kept = [entry[2] for entry in queued] + [frame]
        kept.pop(chance.randrange(len(kept)))
        moved = {entry[:2]: content for entry, content in zip(queued, kept, strict=True)}
        self.waiting = [(due_s, number, moved.get((due_s, number), old)) for due_s, number, old in self.waiting]


class EmulatedPath:
    """Hosts ``a`` (10.9.0.1) and ``b`` (10.9.0.2 and 10.9.0.4), and the link between them; a context manager that leaves nothing behind."""

    A, B = "10.9.0.1", "10.9.0.2"
    A_SECOND, B_SECOND = "10.9.0.3", "10.9.0.4"
    was_ever_unfaithful = False
    """Whether a path was, since this was last set to false; it is decided when a path ends."""

    def __init__(self, forward: Direction, back: Direction) -> None:
        self.forward, self.back = forward, back
        self.held_up = False
        self._names = [f"nodectl-test-{os.getpid()}-{side}" for side in "ab"]
        self._devices: list[int] = []
        self._stop_read, self._stop_write = os.pipe()
        self._thread = threading.Thread(target=self._forward, daemon=True)
        self._awake: subprocess.Popen[bytes] | None = None

    @property
    def was_faithful(self) -> bool:
        """Whether the link kept its model, no more than 1 % of the frames left more than 3 ms late, and no sender was held up."""
        ways = [way for way in (self.forward, self.back, self.forward.to_second, self.back.to_second) if way is not None]
        return not self.held_up and all(way.late <= LATE_SHARE_MAX * way.delivered for way in ways)

    def command(self, host: str, *words: str) -> list[str]:
        """The command line that runs ``words`` on ``host`` ("a" or "b")."""
        return ["ip", "netns", "exec", self._names["ab".index(host)], *words]

    def allow_two_subflows(self) -> None:
        """An MPTCP connection from a to b gets a second subflow, to the second address."""
        for name in self._names:
            _ip("-n", name, "mptcp", "limits", "set", "subflow", "2", "add_addr_accepted", "2")
        _ip("-n", self._names[1], "mptcp", "endpoint", "add", self.B_SECOND, "signal")

    def open_a_second_subflow(self) -> None:
        """The same, but from a second address of a."""
        for name in self._names:
            _ip("-n", name, "mptcp", "limits", "set", "subflow", "2", "add_addr_accepted", "2")
        _ip("-n", self._names[0], "addr", "add", f"{self.A_SECOND}/24", "dev", "path0")
        _ip("-n", self._names[1], "neigh", "add", self.A_SECOND, "lladdr", MACS[0], "dev", "path0", "nud", "permanent")
        _ip("-n", self._names[0], "mptcp", "endpoint", "add", self.A_SECOND, "dev", "path0", "id", "9", "subflow")

    def __enter__(self) -> EmulatedPath:
        try:
            if are_to_be_kept_awake() and Path(KEEP_AWAKE_COMMAND[0]).exists():
                self._awake = subprocess.Popen(KEEP_AWAKE_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
            for number, name in enumerate(self._names):
                address, other = ((self.A, self.B), (self.B, self.A))[number]
                _ip("netns", "add", name)
                self._devices.append(_open_tap(Path("/run/netns") / name, "path0"))
                _ip("-n", name, "addr", "add", f"{address}/24", "dev", "path0")
                _ip("-n", name, "link", "set", "path0", "address", MACS[number], "mtu", str(MTU), "up")
                # A fixed neighbour: the first packet is not to wait for ARP, that would count as RTT.
                _ip("-n", name, "neigh", "add", other, "lladdr", MACS[1 - number], "dev", "path0", "nud", "permanent")
                _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", self._names[1], "addr", "add", f"{self.B_SECOND}/24", "dev", "path0")
            _ip("-n", self._names[0], "neigh", "add", self.B_SECOND, "lladdr", MACS[1], "dev", "path0", "nud", "permanent")
            self._thread.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        EmulatedPath.was_ever_unfaithful |= not self.was_faithful
        os.write(self._stop_write, b"x")
        if self._thread.is_alive():
            self._thread.join()
        for device in [*self._devices, self._stop_read, self._stop_write]:
            os.close(device)
        for name in self._names:
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)
        if self._awake is not None:
            self._awake.communicate()

    def _forward(self) -> None:
        with contextlib.suppress(PermissionError):  # of this thread alone; without it, busy machines make it late
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        a, b = self._devices
        chance = random.Random(SEED)
        ends = ((a, b, self.forward), (b, a, self.back))
        ways = [(sink, way) for _, sink, both in ends for way in (both, both.to_second) if way is not None]
        while True:
            due_s = min((way.waiting[0][0] for _, way in ways if way.waiting), default=None)
            timeout_s = None if due_s is None else max(0.0, due_s - time.monotonic())
            readable, _, _ = select.select([a, b, self._stop_read], [], [], timeout_s)
            if self._stop_read in readable:
                return
            for source, _, way in ends:
                if source in readable:
                    way.take(os.read(source, 65536), time.monotonic(), chance)
            for sink, way in ways:
                now_s = time.monotonic()
                while way.waiting and way.waiting[0][0] <= now_s:
                    due_s, _, frame = heapq.heappop(way.waiting)
                    os.write(sink, frame)
                    way.delivered += 1
                    way.late += now_s - due_s > LATE_S


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _open_tap(namespace: Path, name: str) -> int:
    """A TAP device inside ``namespace``. A thread of its own enters it, so that this process stays where it is."""
    opened: list[int] = []

    def enter_and_open() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        with namespace.open("rb") as file:
            if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
                return
        device = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
        opened.append(device)

    thread = threading.Thread(target=enter_and_open)
    thread.start()
    thread.join()
    if not opened:
        raise OSError(f"no TAP device in {namespace}")
    return opened[0]
