"""The probable cause of a wrong value, as far as it can be told from the value."""

from __future__ import annotations

from labs.check.packets import LAYOUTS, Fields, right_checksums


def explain(name: str, sent: Fields, expected: Fields, got: Fields, frame: bytes) -> str:
    """A few words, or nothing.

    Args:
        name: of the field that is wrong.
        sent, expected, got: the frames' fields.
        frame: the one that came out.
    """
    value, wanted = got.get(name), expected[name]
    if value is None:
        return "the header is missing from the packet that came out"
    if name.endswith(".checksum"):
        return _checksum(name, value, sent, frame)
    if value == sent.get(name):
        return "as it came in"
    bits = next((one.bits for header, layout in LAYOUTS.items() for one in layout.fields if f"{header}.{one.name}" == name), 0)
    if bits > 8 and bits % 8 == 0 and value == int.from_bytes(wanted.to_bytes(bits // 8, "big"), "little"):
        return "the bytes are in the wrong order"
    if value == 0:
        return "never set"
    field = name.partition(".")[2]
    for other, number in [*expected.items(), *sent.items()]:
        if other != name and number == value and number > 255 and bits > 16:
            return f"that is {'the old ' if other not in expected or expected[other] != number else ''}{other}"
    if abs(value - wanted) == 1:
        return f"one too {'many' if value > wanted else 'few'}" if field != "ttl" else ""
    if value == (wanted - (wanted - sent.get(name, wanted)) * 2) % (1 << max(bits, 1)) and value != wanted:
        return "changed twice"
    return ""


def _checksum(name: str, value: int, sent: Fields, frame: bytes) -> str:
    right = right_checksums(frame).get(name)
    if value == right:
        return "right for this packet, but the packet is not the expected one"
    if value == sent.get(name):
        return "as it came in, though the packet was changed: compute it anew"
    if value == 0:
        return "0: never computed"
    return "wrong for this packet: it is computed over other fields than those that it protects"
