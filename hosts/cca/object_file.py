"""Whether a compiled object is one that this machine's kernel could take: a BPF program of its byte order."""

from __future__ import annotations

import sys
from pathlib import Path

from protocol.errors import UserError

_MAGIC = b"\x7fELF"
_BYTE_ORDER_AT, _MACHINE_AT, _HEAD_BYTES = 5, 18, 20
_BYTE_ORDERS = {1: "little", 2: "big"}
_BPF = 247
_MACHINES = {3: "x86", 40: "Arm", 62: "x86-64", 183: "AArch64", 243: "RISC-V", 21: "PowerPC 64", 22: "S/390"}
"""``e_machine`` of elf.h, for the message."""


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
