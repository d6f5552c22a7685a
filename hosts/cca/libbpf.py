"""The few functions of libbpf.so.1 that registering congestion controls takes, through ctypes.

A registered congestion control is a BPF map of type struct_ops whose only element holds the kernel's table of functions.
The map stays while it is registered, also after the process that made it has ended.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.errors import UserError
from hosts.cca import rodata
from hosts.cca.object_file import with_name

LIBRARY = "libbpf.so.1"
KERNEL_BTF = Path("/sys/kernel/btf/vmlinux")
MAP_TYPE_HASH = 1
MAP_TYPE_STRUCT_OPS = 26
_MAP_NAME_LENGTH = 16
_LOG_BYTES = 512
_LOG_LINES_SHOWN = 12


class _MapInfo(ctypes.Structure):
    """The beginning of ``struct bpf_map_info`` of linux/bpf.h; the kernel fills as much as it is given room for."""

    _fields_ = (
        ("type", ctypes.c_uint32),
        ("id", ctypes.c_uint32),
        ("key_size", ctypes.c_uint32),
        ("value_size", ctypes.c_uint32),
        ("max_entries", ctypes.c_uint32),
        ("map_flags", ctypes.c_uint32),
        ("name", ctypes.c_char * _MAP_NAME_LENGTH),
    )


class _OpenOptions(ctypes.Structure):
    """The beginning of ``struct bpf_object_open_opts`` of bpf/libbpf.h, which says itself how long it is."""

    _fields_ = (("size", ctypes.c_size_t), ("object_name", ctypes.c_char_p))


class _ProgramInfo(ctypes.Structure):
    """The beginning of ``struct bpf_prog_info`` of linux/bpf.h, up to the name."""

    _fields_ = (("before", ctypes.c_uint8 * 64), ("name", ctypes.c_char * _MAP_NAME_LENGTH))


_STATE_IN_USE = 1
"""``BPF_STRUCT_OPS_STATE_INUSE``: registered. Unregistered but still used by open connections is another value."""


@dataclass(frozen=True)
class StructOpsMap:
    """A struct_ops map in the kernel; ``is_registered`` is false when only open connections still hold it.

    ``name`` is the map's, which need not be that of the congestion control; ``table`` is the kernel's table of functions, as bytes.
    """

    id: int
    name: str
    is_registered: bool
    table: bytes = field(repr=False)

    def is_called(self, kernel_name: str) -> bool:
        """Whether this is the congestion control that the kernel lists as ``kernel_name``."""
        return b"\0" + kernel_name.encode("ascii").ljust(_MAP_NAME_LENGTH, b"\0") in b"\0" + self.table


class BpfError(Exception):
    """libbpf or the kernel refused; ``log`` is what libbpf said, ``number`` the errno."""

    def __init__(self, what: str, number: int, log: str = "") -> None:
        super().__init__(f"{what}: {os.strerror(number) if number else 'refused'}")
        self.number = number
        self.log = log


class Libbpf:
    """libbpf, loaded; its messages are collected and not printed.

    Raises:
        UserError: libbpf is not installed.
    """

    def __init__(self) -> None:
        try:
            self._lib: Any = ctypes.CDLL(LIBRARY, use_errno=True)
        except OSError as error:
            raise UserError(
                f"{LIBRARY} is not installed; BPF congestion controls cannot be registered",
                "apt-get install --no-install-recommends libbpf-dev",
            ) from error
        self._log: list[str] = []
        self._declare()

    def _declare(self) -> None:
        lib = self._lib
        pointer = ctypes.c_void_p
        lib.bpf_object__open_mem.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_OpenOptions)]
        lib.bpf_object__open_mem.restype = pointer
        lib.bpf_object__load.argtypes = [pointer]
        lib.bpf_object__close.argtypes = [pointer]
        lib.bpf_object__close.restype = None
        lib.bpf_object__find_map_by_name.argtypes = [pointer, ctypes.c_char_p]
        lib.bpf_object__find_map_by_name.restype = pointer
        lib.bpf_map__type.argtypes = [pointer]
        lib.bpf_map__fd.argtypes = [pointer]
        lib.bpf_map__attach_struct_ops.argtypes = [pointer]
        lib.bpf_map__attach_struct_ops.restype = pointer
        lib.bpf_link__disconnect.argtypes = [pointer]
        lib.bpf_link__disconnect.restype = None
        lib.bpf_link__destroy.argtypes = [pointer]
        lib.bpf_map_get_next_id.argtypes = [ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)]
        lib.bpf_map_get_fd_by_id.argtypes = [ctypes.c_uint32]
        lib.bpf_prog_get_next_id.argtypes = [ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)]
        lib.bpf_prog_get_fd_by_id.argtypes = [ctypes.c_uint32]
        lib.bpf_obj_get_info_by_fd.argtypes = [ctypes.c_int, pointer, ctypes.POINTER(ctypes.c_uint32)]
        lib.bpf_map_lookup_elem.argtypes = [ctypes.c_int, pointer, pointer]
        lib.bpf_map_get_next_key.argtypes = [ctypes.c_int, pointer, pointer]
        lib.bpf_map_delete_elem.argtypes = [ctypes.c_int, pointer]
        lib.bpf_map_update_elem.argtypes = [ctypes.c_int, pointer, pointer, ctypes.c_uint64]
        callback_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_char_p, pointer)
        self._callback = callback_type(self._keep_message)
        lib.libbpf_set_print.argtypes = [callback_type]
        lib.libbpf_set_print.restype = pointer
        lib.libbpf_set_print(self._callback)
        rodata.declare(lib)
        self._vsnprintf: Callable[..., int] = ctypes.CDLL(None).vsnprintf

    def _keep_message(self, level: int, message_format: bytes, arguments: int) -> int:
        if level < 2:  # warnings and information; 2 is debugging output
            buffer = ctypes.create_string_buffer(_LOG_BYTES)
            self._vsnprintf(buffer, ctypes.c_size_t(_LOG_BYTES), message_format, ctypes.c_void_p(arguments))
            self._log.append(buffer.value.decode(errors="replace").rstrip())
        return 0

    def _error(self, what: str) -> BpfError:
        number = ctypes.get_errno()
        log, self._log = "\n".join(self._log[-_LOG_LINES_SHOWN:]), []
        return BpfError(what, number, log)

    def register(self, path: Path, name: str, kernel_name: str, constants: Mapping[str, int] | None = None) -> StructOpsMap:
        """Loads the object at ``path`` and registers its struct_ops table ``name`` as ``kernel_name``; it stays when this process ends.

        ``constants`` are put into its read-only data before.

        Raises:
            BpfError: the file is no BPF object for this machine, lacks a constant, the verifier refuses it, or the kernel
                does not register it.
        """
        lib = self._lib
        self._log = []
        content = with_name(path.read_bytes(), name, kernel_name)
        options = _OpenOptions(ctypes.sizeof(_OpenOptions), path.name.split(".")[0].encode())
        bpf_object = lib.bpf_object__open_mem(content, len(content), ctypes.byref(options))
        if not bpf_object:
            raise self._error("cannot be opened as a BPF object")
        try:
            for constant, value in (constants or {}).items():
                if not rodata.set_constant(lib, bpf_object, constant, value):
                    raise self._error(f"has no constant {constant}")
            if lib.bpf_object__load(bpf_object) != 0:
                raise self._error("does not load")
            bpf_map = lib.bpf_object__find_map_by_name(bpf_object, name.encode())
            if not bpf_map or lib.bpf_map__type(bpf_map) != MAP_TYPE_STRUCT_OPS:
                raise self._error(f"defines no congestion control called {name}")
            ctypes.set_errno(0)
            link = lib.bpf_map__attach_struct_ops(bpf_map)
            if not link:
                raise self._error("is not registered")
            lib.bpf_link__disconnect(link)  # so that destroying the handle does not unregister
            lib.bpf_link__destroy(link)
            descriptor = lib.bpf_map__fd(bpf_map)
            return self._describe(descriptor, self._raw_info(descriptor))
        finally:
            lib.bpf_object__close(bpf_object)

    def _describe(self, descriptor: int, info: _MapInfo) -> StructOpsMap:
        """Reads the map's element, which begins with a reference count and the state, 32 bits each."""
        value = (ctypes.c_uint32 * max(2, -(-info.value_size // 4)))()
        key = ctypes.c_uint32(0)
        found = self._lib.bpf_map_lookup_elem(descriptor, ctypes.byref(key), ctypes.byref(value)) == 0
        return StructOpsMap(info.id, info.name.decode(errors="replace"), found and value[1] == _STATE_IN_USE, bytes(value))

    def _raw_info(self, descriptor: int) -> _MapInfo:
        info = _MapInfo()
        length = ctypes.c_uint32(ctypes.sizeof(info))
        if self._lib.bpf_obj_get_info_by_fd(descriptor, ctypes.byref(info), ctypes.byref(length)) != 0:
            raise self._error("the kernel does not describe a BPF map")
        return info

    def struct_ops_maps(self) -> list[StructOpsMap]:
        """Every struct_ops map in the kernel: those registered, and former ones that open connections still use.

        Raises:
            BpfError: no privileges.
        """
        return [self._describe(descriptor, info) for descriptor, info in self._maps() if info.type == MAP_TYPE_STRUCT_OPS]

    def map_names(self) -> Counter[str]:
        """How many BPF maps of each name and type number there are in the kernel, whoever made them; for finding leaks.

        Raises:
            BpfError: no privileges.
        """
        return Counter(f"{info.name.decode(errors='replace')} (type {info.type})" for _, info in self._maps())

    def program_names(self) -> Counter[str]:
        """How many BPF programs of each name there are in the kernel, whoever loaded them; for finding leaks.

        Raises:
            BpfError: no privileges.
        """
        names: Counter[str] = Counter()
        for descriptor in self._descriptors(self._lib.bpf_prog_get_next_id, self._lib.bpf_prog_get_fd_by_id, "program"):
            info = _ProgramInfo()
            length = ctypes.c_uint32(ctypes.sizeof(info))
            if self._lib.bpf_obj_get_info_by_fd(descriptor, ctypes.byref(info), ctypes.byref(length)) != 0:
                raise self._error("the kernel does not describe a BPF program")
            names[info.name.decode(errors="replace")] += 1
        return names

    def entry_count(self, map_name: str) -> int:
        """How many entries the hash maps called ``map_name`` have, with keys of up to 8 bytes; for finding leaks.

        Raises:
            BpfError: no privileges.
        """
        count = 0
        for descriptor, info in self._maps():
            if info.type != MAP_TYPE_HASH or info.name.decode(errors="replace") != map_name:
                continue
            key = ctypes.c_uint64(0)
            following: Any = None
            while self._lib.bpf_map_get_next_key(descriptor, following, ctypes.byref(key)) == 0:
                count += 1
                following = ctypes.byref(ctypes.c_uint64(key.value))
        return count

    def open_all(self, map_name: str) -> list[int]:
        """Descriptors of all hash maps called ``map_name``, to be closed by the caller.

        Raises:
            BpfError: no privileges.
        """
        return [
            os.dup(descriptor)
            for descriptor, info in self._maps()
            if info.type == MAP_TYPE_HASH and info.name.decode(errors="replace") == map_name
        ]

    def put(self, descriptor: int, key: bytes, value: bytes) -> None:
        """Sets an element of a map.

        Raises:
            BpfError: the kernel refuses it.
        """
        if self._lib.bpf_map_update_elem(descriptor, key, value, 0) != 0:
            raise self._error("an element of a BPF map is not written")

    def drop(self, descriptor: int, key: bytes) -> None:
        """Removes an element of a map; harmless if there is none."""
        self._lib.bpf_map_delete_elem(descriptor, key)

    def _maps(self) -> Iterator[tuple[int, _MapInfo]]:
        """Every map in the kernel; its descriptor is open until the next one is asked for."""
        for descriptor in self._descriptors(self._lib.bpf_map_get_next_id, self._lib.bpf_map_get_fd_by_id, "map"):
            yield descriptor, self._raw_info(descriptor)

    def _descriptors(self, get_next: Callable[..., int], get: Callable[..., int], kind: str) -> Iterator[int]:
        """Descriptors of everything of a kind, each open until the next one is asked for."""
        next_id = ctypes.c_uint32(0)
        while True:
            if get_next(next_id.value, ctypes.byref(next_id)) != 0:
                if ctypes.get_errno() == errno.ENOENT:
                    return
                raise self._error(f"the kernel does not list BPF {kind}s")
            descriptor = get(next_id.value)
            if descriptor < 0:
                if ctypes.get_errno() == errno.ENOENT:  # gone in between
                    continue
                raise self._error(f"the kernel does not open a BPF {kind}")
            try:
                yield descriptor
            finally:
                os.close(descriptor)

    def unregister(self, map_id: int) -> None:
        """Unregisters the table of struct_ops map ``map_id``; connections that use it keep it until they close.

        Raises:
            BpfError: there is no such map (ENOENT), it is not registered, or no privileges.
        """
        descriptor = self._lib.bpf_map_get_fd_by_id(map_id)
        if descriptor < 0:
            raise self._error("the BPF map cannot be opened")
        try:
            key = ctypes.c_uint32(0)
            if self._lib.bpf_map_delete_elem(descriptor, ctypes.byref(key)) != 0:
                raise self._error("is not unregistered")
        finally:
            os.close(descriptor)


def explain_missing_support() -> str | None:
    """Why BPF congestion controls cannot work here whatever the privileges, or None if nothing speaks against it."""
    if not KERNEL_BTF.exists():
        return f"this kernel has no BTF ({KERNEL_BTF} is missing); it was built without CONFIG_DEBUG_INFO_BTF"
    return None
