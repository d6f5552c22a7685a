"""Compiled objects: whether this machine's kernel could take one, and the name under which it is to be registered."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from common.errors import UserError

_MAGIC = b"\x7fELF"
_BYTE_ORDER_AT, _MACHINE_AT, _HEAD_BYTES = 5, 18, 20
_BYTE_ORDERS = {1: "little", 2: "big"}
_BPF = 247
_MACHINES = {3: "x86", 40: "Arm", 62: "x86-64", 183: "AArch64", 243: "RISC-V", 21: "PowerPC 64", 22: "S/390"}
"""``e_machine`` of elf.h, for the message."""

_TABLES_SECTION = b".struct_ops"
_NAME_BYTES = 16
_SECTION_HEADERS_AT = struct.Struct("=40xQ10xHHH")
"""``e_shoff``, ``e_shentsize``, ``e_shnum`` and ``e_shstrndx`` of an ELF64 header."""

_SECTION = struct.Struct("=I20xQQ")
"""``sh_name``, ``sh_offset`` and ``sh_size`` of an ELF64 section header."""


def require_bpf_object(path: Path) -> None:
    """Checks the ELF header of ``path``; a file that is no ELF at all is left to libbpf to refuse.

    Raises:
        UserError: the object is for another architecture, or of the other byte order.
    """
    head = path.read_bytes()[:_HEAD_BYTES]
    order = _BYTE_ORDERS.get(head[_BYTE_ORDER_AT]) if len(head) == _HEAD_BYTES and head.startswith(_MAGIC) else None
    if order not in ("little", "big"):
        return
    machine = int.from_bytes(head[_MACHINE_AT:_HEAD_BYTES], "little" if order == "little" else "big")
    remedy = "delete it; it is then built again for this machine"
    if machine != _BPF:
        raise UserError(f"{path} is an object for {_MACHINES.get(machine, f'machine {machine}')}, not a BPF program", remedy)
    if order != sys.byteorder:
        raise UserError(f"{path} is a BPF program for {order}-endian machines; this one is {sys.byteorder}-endian", remedy)


def with_name(content: bytes, old: str, new: str) -> bytes:
    """The BPF object ``content`` whose table of functions is called ``new`` instead of ``old``, as the kernel will list it.

    Content that is no object with such a table comes back as it is, for libbpf to refuse.
    """
    former, wanted = (name.encode("ascii").ljust(_NAME_BYTES, b"\0") for name in (old, new))
    for start, size in _sections(content, _TABLES_SECTION):
        at = content.find(former, start, start + size)
        if at >= 0:
            return content[:at] + wanted + content[at + _NAME_BYTES :]
    return content


def _sections(content: bytes, wanted: bytes) -> Iterator[tuple[int, int]]:
    """Places and sizes in bytes of the sections called ``wanted``."""
    try:
        table, entry_bytes, count, names_index = _SECTION_HEADERS_AT.unpack_from(content)
        headers = [_SECTION.unpack_from(content, table + number * entry_bytes) for number in range(count)]
        _, names_at, names_size = headers[names_index]
    except (struct.error, IndexError):
        return
    names = content[names_at : names_at + names_size]
    for name_at, start, size in headers:
        if names[name_at:].split(b"\0", 1)[0] == wanted:
            yield start, size
