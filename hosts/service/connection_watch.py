"""The connections of a control group, seen by a BPF program: the other side of connection_watch.bpf.c.

The program is attached as long as this process lives.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from common.errors import UserError
from hosts.cca.libbpf import LIBRARY
from hosts.cca.subflow_rates import Ends, namespace_cookie

PROGRAM = b"connection_watch"
_SETTINGS = struct.Struct("=QII16s16s")
_CONNECTION = struct.Struct("=IIQQI4x")
_EVENT = struct.Struct("=QI4s4sHHIIII")
_BPF_ANY, _BPF_EXIST = 0, 2


class EventKind(IntEnum):
    """Events of a connection."""

    SENDS = 1
    IS_OVER = 2


class State(IntEnum):
    """States of a connection that both sides know."""

    QUIET = 0
    SENDING = 1
    ALONE = 2


class _Connection(NamedTuple):
    """``struct connection``."""

    state: int
    has_timestamps: int
    bytes_sent: int
    quiet_since: int
    rtt_us: int


@dataclass(frozen=True)
class ConnectionEvent:
    """An event that the program reports of one connection.

    Attributes:
        cookie: the kernel's name of it, unique while the system runs.
        rtt_us: smoothed, of the handshake at first.
        snd_mss_bytes: payload of a full packet, without TCP options.
    """

    kind: EventKind
    cookie: int
    ends: Ends
    rtt_us: int
    snd_mss_bytes: int
    has_timestamps: bool

    @classmethod
    def decode(cls, data: bytes) -> ConnectionEvent:
        """From the bytes of ``struct event``."""
        cookie, kind, local, remote, local_port, remote_port, rtt_us, segment_bytes, timestamps, _ = _EVENT.unpack(data)
        ends = Ends(socket.inet_ntoa(local), local_port, socket.inet_ntoa(remote), remote_port)
        return cls(EventKind(kind), cookie, ends, rtt_us, segment_bytes, bool(timestamps))


@dataclass(frozen=True)
class WatchSettings:
    """How connections begin.

    Attributes:
        congestion_control: which they get, by its name in the kernel.
        alone: which they get when nobody answers.
        first_window_packets: their window until there is a rate; None: the system's.
    """

    congestion_control: str
    alone: str
    first_window_packets: int | None


class ConnectionWatch:
    """Attached to ``control_group`` until :meth:`close`; ``take`` is called in the event loop with each event.

    Raises:
        UserError: there is no libbpf, this is not root, or the kernel refuses the program.
    """

    def __init__(self, program: Path, control_group: Path, settings: WatchSettings, take: Callable[[ConnectionEvent], None]) -> None:
        self._take = take
        self._lib = self._load_library()
        self._object: int | None = None
        self._link: int | None = None
        self._ring: int | None = None
        try:
            self._open(program, control_group, settings)
        except BaseException:
            self.close()
            raise

    def bytes_sent(self, cookie: int) -> int | None:
        """Payload that a connection has sent, repeated bytes included; None: it is over."""
        found = self._look(cookie)
        return None if found is None else found.bytes_sent

    def rtt_us(self, cookie: int) -> int:
        """Smoothed RTT of a connection when it sent its latest packet; 0: it is over."""
        found = self._look(cookie)
        return 0 if found is None else found.rtt_us

    def is_quiet_now(self, cookie: int) -> None:
        """The connection has no rate any more: it is told again when it begins to send. Harmless if it is over."""
        found = self._look(cookie)
        if found is not None:
            self._put(cookie, found._replace(state=State.QUIET, quiet_since=found.bytes_sent))

    def is_alone(self, cookie: int) -> None:
        """Nobody answers: from its next round trip on the connection has the other congestion control. Harmless if it is over."""
        found = self._look(cookie)
        if found is not None:
            self._put(cookie, found._replace(state=State.ALONE))

    def close(self) -> None:
        """Detaches the program. Connections keep their congestion control."""
        if self._ring is not None:
            asyncio.get_running_loop().remove_reader(self._lib.ring_buffer__epoll_fd(self._ring))
            self._lib.ring_buffer__free(self._ring)
            self._ring = None
        if self._link is not None:
            self._lib.bpf_link__destroy(self._link)
            self._link = None
        if self._object is not None:
            self._lib.bpf_object__close(self._object)
            self._object = None

    def _load_library(self) -> Any:
        try:
            lib = ctypes.CDLL(LIBRARY, use_errno=True)
        except OSError as error:
            raise UserError(
                f"{LIBRARY} is not installed; connections cannot be watched", "apt-get install --no-install-recommends libbpf1"
            ) from error
        pointer, number, descriptor = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int
        for name, result, arguments in (
            ("bpf_object__open_file", pointer, [ctypes.c_char_p, pointer]),
            ("bpf_object__load", ctypes.c_int, [pointer]),
            ("bpf_object__close", None, [pointer]),
            ("bpf_object__find_program_by_name", pointer, [pointer, ctypes.c_char_p]),
            ("bpf_object__find_map_fd_by_name", descriptor, [pointer, ctypes.c_char_p]),
            ("bpf_program__attach_cgroup", pointer, [pointer, descriptor]),
            ("bpf_link__destroy", ctypes.c_int, [pointer]),
            ("bpf_map_lookup_elem", ctypes.c_int, [descriptor, pointer, pointer]),
            ("bpf_map_update_elem", ctypes.c_int, [descriptor, pointer, pointer, number]),
            ("ring_buffer__new", pointer, [descriptor, pointer, pointer, pointer]),
            ("ring_buffer__epoll_fd", descriptor, [pointer]),
            ("ring_buffer__consume", ctypes.c_int, [pointer]),
            ("ring_buffer__free", None, [pointer]),
        ):
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
        lib.libbpf_set_print(None)  # failures are raised as errors instead
        return lib

    def _open(self, program: Path, control_group: Path, settings: WatchSettings) -> None:
        lib = self._lib
        self._object = lib.bpf_object__open_file(str(program).encode(), None)
        if not self._object or lib.bpf_object__load(self._object) != 0:
            raise self._refused("does not take the program that watches connections")
        self._connections = lib.bpf_object__find_map_fd_by_name(self._object, b"watched")
        cc, alone = settings.congestion_control.encode(), settings.alone.encode()
        content = _SETTINGS.pack(namespace_cookie(), settings.first_window_packets or 0, 0, cc, alone)
        settings_map = lib.bpf_object__find_map_fd_by_name(self._object, b"watch_settings")
        if lib.bpf_map_update_elem(settings_map, struct.pack("=I", 0), content, _BPF_ANY) != 0:
            raise self._refused("does not take the settings of the program that watches connections")
        self._callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(self._on_event)
        events = lib.bpf_object__find_map_fd_by_name(self._object, b"watch_events")
        self._ring = lib.ring_buffer__new(events, ctypes.cast(self._callback, ctypes.c_void_p), None, None)
        if not self._ring:
            raise self._refused("gives no ring buffer")
        asyncio.get_running_loop().add_reader(lib.ring_buffer__epoll_fd(self._ring), self._read)
        folder = os.open(control_group, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._link = lib.bpf_program__attach_cgroup(lib.bpf_object__find_program_by_name(self._object, PROGRAM), folder)
        finally:
            os.close(folder)
        if not self._link:
            raise self._refused(f"does not attach a program to the control group {control_group}")

    def _refused(self, what: str) -> UserError:
        number = ctypes.get_errno()
        remedy = "run this as root" if number == errno.EPERM else "it needs CONFIG_BPF_SYSCALL, CONFIG_CGROUP_BPF, and Linux 5.15 or later"
        return UserError(f"the kernel {what}: {os.strerror(number)}", remedy)

    def _read(self) -> None:
        self._lib.ring_buffer__consume(self._ring)

    def _on_event(self, _context: int, data: int, _length: int) -> int:
        self._take(ConnectionEvent.decode(ctypes.string_at(data, _EVENT.size)))
        return 0

    def _look(self, cookie: int) -> _Connection | None:
        content = ctypes.create_string_buffer(_CONNECTION.size)
        if self._lib.bpf_map_lookup_elem(self._connections, struct.pack("=Q", cookie), content) != 0:
            return None
        return _Connection(*_CONNECTION.unpack(content.raw))

    def _put(self, cookie: int, connection: _Connection) -> None:
        self._lib.bpf_map_update_elem(self._connections, struct.pack("=Q", cookie), _CONNECTION.pack(*connection), _BPF_EXIST)
