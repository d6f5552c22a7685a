"""Bits and bytes of a dataclass whose fields say their widths: sizes, offsets, encoding, decoding.

A header is declared once, as a dataclass with its fields in the order in which they are sent, big-endian and without gaps::

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Example(Header):
        kind: Annotated[Kind, Bits(16)]     # an enumeration
        id: Identity                        # another Header: its fields stand here
        rate_kbps: U32
        reserved: U8 = 0
"""

from __future__ import annotations

import dataclasses
import operator
import struct
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Any, Final, Generic, Self, TypeVar

from common.units import BITS_PER_BYTE


class Shown(Enum):
    """How a number is written for people."""

    DECIMAL = auto()
    HEXADECIMAL = auto()
    IPV4_ADDRESS = auto()


@dataclass(frozen=True)
class Bits:
    """Says in a field's annotation how wide it is."""

    width: int
    shown: Shown = Shown.DECIMAL


U8 = Annotated[int, Bits(8)]
U16 = Annotated[int, Bits(16)]
U32 = Annotated[int, Bits(32)]
U64 = Annotated[int, Bits(64)]
U48 = Annotated[int, Bits(48)]
Ipv4 = Annotated[int, Bits(32, Shown.IPV4_ADDRESS)]
MacAddress = Annotated[int, Bits(48, Shown.HEXADECIMAL)]


class FieldError(ValueError):
    """A value that does not fit its field, or bytes that are no such header."""


class Header:
    """The base of all headers; declare one as in this module's docstring."""

    __slots__ = ()

    def encode(self) -> bytes:
        """The header's bytes; FieldError names a field whose value does not fit."""
        return layout_of(type(self)).pack(self)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The header that `data` begins with; FieldError if it is too short, ValueError where an enumeration lacks a number."""
        layout = layout_of(cls)
        return layout.build(layout.values(data))


@dataclass(frozen=True)
class LayoutField:
    """One field: its place, and the meaning of its numbers."""

    name: str
    bits: int
    offset_bits: int
    kind: type[int]
    shown: Shown
    default: int | None


H = TypeVar("H", bound=Header)

_STRUCT_CODES: Final = {8: "B", 16: "H", 32: "I", 64: "Q"}


class Layout(Generic[H]):
    """Bits and bytes of one header; get it with :func:`layout_of`.

    Attributes:
        fields: the fields in their order; those of headers within are among them.
        names: the fields' names.
        size_bytes: size of the header.
    """

    fields: tuple[LayoutField, ...]
    names: tuple[str, ...]
    size_bytes: int

    def __init__(self, header: type[H]) -> None:
        self._header = header
        self._makers: list[tuple[str, Callable[[Mapping[str, int]], Any]]] = []
        fields: list[LayoutField] = []
        paths: list[str] = []
        offset_bits = 0
        hints = typing.get_type_hints(header, include_extras=True)
        for declared in dataclasses.fields(header):  # type: ignore[arg-type]  # every Header is a dataclass
            hint = hints[declared.name]
            if isinstance(hint, type) and issubclass(hint, Header):
                inner = layout_of(hint)
                self._makers.append((declared.name, inner.build))
                fields += [dataclasses.replace(field, offset_bits=offset_bits + field.offset_bits) for field in inner.fields]
                paths += [f"{declared.name}.{name}" for name in inner.names]
                offset_bits += inner.size_bytes * BITS_PER_BYTE
                continue
            kind, width = typing.get_args(hint)
            default = None if declared.default is dataclasses.MISSING else int(declared.default)
            fields.append(LayoutField(declared.name, width.width, offset_bits, kind, width.shown, default))
            self._makers.append((declared.name, _maker(declared.name, kind)))
            paths.append(declared.name)
            offset_bits += width.width
        if offset_bits % BITS_PER_BYTE:
            raise TypeError(f"{header.__name__} has {offset_bits} bits, which are no whole bytes")
        self.fields = tuple(fields)
        self.names = tuple(field.name for field in fields)
        self.size_bytes = offset_bits // BITS_PER_BYTE
        self._get: Callable[[H], tuple[int, ...]] = operator.attrgetter(*paths)
        codes = [_STRUCT_CODES.get(field.bits, "") for field in fields]
        self._struct = struct.Struct("!" + "".join(codes)) if all(codes) else None
        """None where a field has a width that the struct module does not know."""

    def pack(self, header: H) -> bytes:
        """The header's bytes; FieldError names a field whose value does not fit."""
        values = self._get(header)
        if self._struct is not None:
            try:
                return self._struct.pack(*values)
            except struct.error:
                pass  # the slower way finds out which field it is
        number = 0
        for field, value in zip(self.fields, values, strict=True):
            if not 0 <= value < 1 << field.bits:
                raise FieldError(f"{field.name} is {value}, which does not fit {field.bits} bits")
            number = number << field.bits | int(value)
        return number.to_bytes(self.size_bytes, "big")

    def numbers(self, header: H) -> dict[str, int]:
        """The fields' numbers by name."""
        return dict(zip(self.names, self._get(header), strict=True))

    def values(self, data: bytes) -> dict[str, int]:
        """The fields' numbers in the bytes that `data` begins with; FieldError if it is too short."""
        if len(data) < self.size_bytes:
            raise FieldError(f"{len(data)} bytes are too short for {self._header.__name__} ({self.size_bytes} bytes)")
        if self._struct is not None:
            return dict(zip(self.names, self._struct.unpack_from(data), strict=True))
        number = int.from_bytes(data[: self.size_bytes], "big")
        end_bits = self.size_bytes * BITS_PER_BYTE
        return {field.name: number >> end_bits - field.offset_bits - field.bits & (1 << field.bits) - 1 for field in self.fields}

    def build(self, values: Mapping[str, int]) -> H:
        """The header with these numbers; KeyError if one is missing, ValueError where an enumeration lacks a number."""
        return self._header(**{name: make(values) for name, make in self._makers})


def _maker(name: str, kind: type[int]) -> Callable[[Mapping[str, int]], int]:
    if kind is int:
        return operator.itemgetter(name)
    met: dict[int, int] = {}  # calling an enumeration costs ten times as much as looking its member up

    def member(values: Mapping[str, int]) -> int:
        number = values[name]
        found = met.get(number)
        if found is None:
            found = met[number] = kind(number)
        return found

    return member


_LAYOUTS: Final[dict[type[Header], Layout[Any]]] = {}


def layout_of(header: type[H]) -> Layout[H]:
    """The layout of a header's declaration."""
    layout = _LAYOUTS.get(header)
    if layout is None:
        layout = _LAYOUTS[header] = Layout(header)
    return layout
