"""Values of keys and parameters as people write them, in P4Runtime's bytes."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

MAC = re.compile(r"[0-9A-Fa-f]{1,2}([:-][0-9A-Fa-f]{1,2}){5}")
IPV4_BITS, MAC_BITS, IPV6_BITS = 32, 48, 128


def number(value: object, bits: int) -> int:
    """A value of so many bits.

    Args:
        value: a number, or a text: decimal, ``0x…``, ``0b…``, and by width an IPv4, MAC or IPv6 address.
        bits: of the key or parameter.

    Raises:
        ValueError: it is none, or does not fit; the message says so.
    """
    if isinstance(value, bool):
        found = int(value)
    elif isinstance(value, int):
        found = value
    elif isinstance(value, str):
        found = _of_text(value.strip(), bits)
    else:
        raise ValueError(f"{value!r} is no value")
    if found < 0:
        found += 1 << bits
    if not 0 <= found < 1 << bits:
        raise ValueError(f"{value!r} does not fit into {bits} bit{'s' if bits > 1 else ''}")
    return found


def in_bytes(value: int) -> bytes:
    """P4Runtime's canonical form: as short as it goes, big-endian."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def full_mask(bits: int) -> int:
    """All bits."""
    return (1 << bits) - 1


def prefix_mask(length: int, bits: int) -> int:
    """The first ``length`` of so many bits."""
    return full_mask(bits) ^ full_mask(bits - length)


def _of_text(text: str, bits: int) -> int:
    if bits == MAC_BITS and MAC.fullmatch(text):
        return int("".join(part.zfill(2) for part in re.split("[:-]", text)), 16)
    try:
        if bits == IPV4_BITS and text.count(".") == 3:
            return int(IPv4Address(text))
        if bits == IPV6_BITS and ":" in text:
            return int(IPv6Address(text))
        return int(text.replace("_", ""), 0) if not re.fullmatch(r"0\d+", text) else int(text)
    except (AddressValueError, ValueError):
        raise ValueError(f"{text!r} is no value of {bits} bits") from None
