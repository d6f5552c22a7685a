"""Finding a constant in a BPF object: where the read-only data of the program holds it, from the object's type information (BTF)."""

from __future__ import annotations

import ctypes
from typing import Any

SECTION = ".rodata"
MAP_NAME = b".rodata"
_KIND_DATASEC = 15
_COUNT_MASK = 0xFFFF


class _Type(ctypes.Structure):
    """``struct btf_type`` of linux/btf.h, without the part that follows it for a variable and a section of data."""

    _fields_ = (("name_offset", ctypes.c_uint32), ("info", ctypes.c_uint32), ("size_or_type", ctypes.c_uint32))


class _Place(ctypes.Structure):
    """``struct btf_var_secinfo``: a variable's place in its section, in bytes."""

    _fields_ = (("type", ctypes.c_uint32), ("offset", ctypes.c_uint32), ("size", ctypes.c_uint32))


def declare(lib: Any) -> None:
    """Tells ctypes the types of the functions of libbpf that are used here."""
    pointer = ctypes.c_void_p
    lib.bpf_object__btf.argtypes = [pointer]
    lib.bpf_object__btf.restype = pointer
    lib.btf__find_by_name_kind.argtypes = [pointer, ctypes.c_char_p, ctypes.c_uint32]
    lib.btf__type_by_id.argtypes = [pointer, ctypes.c_uint32]
    lib.btf__type_by_id.restype = pointer
    lib.btf__name_by_offset.argtypes = [pointer, ctypes.c_uint32]
    lib.btf__name_by_offset.restype = ctypes.c_char_p
    lib.bpf_map__initial_value.argtypes = [pointer, ctypes.POINTER(ctypes.c_size_t)]
    lib.bpf_map__initial_value.restype = pointer


def set_constant(lib: Any, bpf_object: int, name: str, value: int) -> bool:
    """Puts the 32-bit ``value`` into constant ``name`` of an object that is opened and not loaded; False if it has none."""
    places = _places(lib, bpf_object)
    size = ctypes.c_size_t(0)
    bpf_map = lib.bpf_object__find_map_by_name(bpf_object, MAP_NAME)
    data = lib.bpf_map__initial_value(bpf_map, ctypes.byref(size)) if bpf_map else None
    offset = places.get(name)
    if not data or offset is None or offset + 4 > size.value:
        return False
    ctypes.c_uint32.from_address(data + offset).value = value
    return True


def _places(lib: Any, bpf_object: int) -> dict[str, int]:
    """Offsets of the 32-bit variables in the read-only data."""
    btf = lib.bpf_object__btf(bpf_object)
    section_id = lib.btf__find_by_name_kind(btf, SECTION.encode(), _KIND_DATASEC) if btf else -1
    if section_id < 0:
        return {}
    address = lib.btf__type_by_id(btf, section_id)
    count = _Type.from_address(address).info & _COUNT_MASK
    places = (_Place * count).from_address(address + ctypes.sizeof(_Type))
    found = {}
    for place in places:
        variable = _Type.from_address(lib.btf__type_by_id(btf, place.type))
        name = lib.btf__name_by_offset(btf, variable.name_offset)
        if place.size == ctypes.sizeof(ctypes.c_uint32) and name:
            found[name.decode(errors="replace")] = place.offset
    return found
