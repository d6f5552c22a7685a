"""One key of an entry as people write it, in P4Runtime's form; None: it matches everything, which P4Runtime says by leaving it out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from finsy.proto import p4i, p4r

from controller.entries.values import full_mask, in_bytes, number, prefix_mask

KINDS = p4i.MatchField.MatchType
WRITTEN = {
    KINDS.EXACT: "a value",
    KINDS.LPM: 'a prefix: "10.0.1.0/24", or [value, length]',
    KINDS.TERNARY: 'a value, "value &&& mask", or [value, mask]',
    KINDS.RANGE: 'a value, "low..high", or [low, high]',
    KINDS.OPTIONAL: "a value",
}
"""How a key of each kind is written."""


def kind_name(field: p4i.MatchField) -> str:
    """``exact``, ``lpm`` …"""
    return str(KINDS.Name(field.match_type)).lower()


def field_match(field: p4i.MatchField, written: Any) -> p4r.FieldMatch | None:
    """A key of an entry.

    Args:
        field: the key.
        written: its value in the file.

    Raises:
        ValueError: it is no such value; the message says what one is.
    """
    if written is None:
        return None
    makers = {KINDS.EXACT: _exact, KINDS.LPM: _lpm, KINDS.TERNARY: _ternary, KINDS.RANGE: _range, KINDS.OPTIONAL: _optional}
    if field.match_type not in makers:
        raise ValueError(f"keys of kind {field.other_match_type or kind_name(field)} cannot be written here")
    if not field.bitwidth:  # a translated type, whose values are texts
        return p4r.FieldMatch(field_id=field.id, exact=p4r.FieldMatch.Exact(value=str(written).encode()))
    made = makers[field.match_type](written, field.bitwidth)
    if made is not None:
        made.field_id = field.id
    return made


def _exact(written: Any, bits: int) -> p4r.FieldMatch:
    if isinstance(written, list) and len(written) == 1:
        written = written[0]
    return p4r.FieldMatch(exact=p4r.FieldMatch.Exact(value=in_bytes(number(written, bits))))


def _lpm(written: Any, bits: int) -> p4r.FieldMatch | None:
    value, length = _two(written, "/", "length")
    prefix = bits if length is None else number(length, 16)
    if prefix > bits:
        raise ValueError(f"a prefix of {prefix} bits is longer than the key, which has {bits}")
    kept = number(value, bits) & prefix_mask(prefix, bits)
    return p4r.FieldMatch(lpm=p4r.FieldMatch.LPM(value=in_bytes(kept), prefix_len=prefix)) if prefix else None


def _ternary(written: Any, bits: int) -> p4r.FieldMatch | None:
    if isinstance(written, str) and "/" in written:
        value, length = _two(written, "/", "length")
        mask = prefix_mask(min(number(length, 16), bits), bits)
    else:
        value, given = _two(written, "&&&", "mask")
        mask = full_mask(bits) if given is None else number(given, bits)
    kept = number(value, bits) & mask
    return p4r.FieldMatch(ternary=p4r.FieldMatch.Ternary(value=in_bytes(kept), mask=in_bytes(mask))) if mask else None


def _range(written: Any, bits: int) -> p4r.FieldMatch | None:
    first, second = _two(re.sub("->", "..", written) if isinstance(written, str) else written, "..", "high")
    low, high = number(first, bits), number(first if second is None else second, bits)
    if low > high:
        raise ValueError(f"the range begins above its end: {written!r}")
    if (low, high) == (0, full_mask(bits)):
        return None
    return p4r.FieldMatch(range=p4r.FieldMatch.Range(low=in_bytes(low), high=in_bytes(high)))


def _optional(written: Any, bits: int) -> p4r.FieldMatch:
    return p4r.FieldMatch(optional=p4r.FieldMatch.Optional(value=in_bytes(number(written, bits))))


def _two(written: Any, between: str, second: str) -> tuple[Any, Any]:
    """Both parts of a value; the second is None where only one is given."""
    if isinstance(written, str):
        first, found, rest = written.partition(between)
        return first.strip(), rest.strip() if found else None
    if isinstance(written, list | tuple):
        if len(written) == 1:
            return _two(written[0], between, second)
        if len(written) != 2:
            raise ValueError(f"{written!r} has {len(written)} parts, expected two")
        return written[0], written[1]
    if isinstance(written, Mapping):
        if not {"value", "low"} & set(written):
            raise ValueError(f"{dict(written)!r}: expected value and {second}")
        return written.get("value", written.get("low")), written.get(second)
    return written, None
