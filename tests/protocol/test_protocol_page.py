"""The pages of the protocol say what protocol/ says: layouts, numbers and their meaning, lengths."""

from __future__ import annotations

import re

import pytest

from common.units import BITS_PER_BYTE
from protocol import constants, headers
from protocol.codes import VERDICTS, EntryType, ErrorReason, EventType, Flags, MessageType
from protocol.headers import Entry, Event, MessageHeader, PacketOutHeader
from protocol.layout import Header, layout_of
from protocol.variant import CONTROLLER, DATA_PLANE, Decision
from tests.harness.switches import REPOSITORY

PAGES = ("protocol.md", "protocol/wire-format.md", "protocol/switch.md", "decisions/index.md", "decisions/refreshes.md")
PAGE = "".join((REPOSITORY / "docs" / page).read_text(encoding="utf-8") for page in PAGES)

Row = list[str]


def tables(section: str) -> list[list[Row]]:
    """The tables under a heading: for each its rows of cells, without heading and rule."""
    found = re.search(rf"^#+ {re.escape(section)}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no page of the protocol has a section {section!r}"
    blocks = re.findall(r"(?:^\|.*\|\n)+", found.group(1), re.MULTILINE)
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()[2:]] for block in blocks]


def numbered(text: str) -> dict[int, str]:
    """The names in "1 share · 2 reduce others", by their numbers."""
    return {int(number, 0): name.strip() for number, name in (part.strip().replace("`", "").split(" ", 1) for part in text.split("·"))}


def in_words(kinds: type[EventType | EntryType | MessageType]) -> dict[int, str]:
    return {int(kind): kind.name.lower().replace("_", " ") for kind in kinds}


@pytest.mark.parametrize(
    ("section", "number", "header"),
    [
        ("Messages", 0, MessageHeader),
        ("Packet-in: events", 0, Event),
        ("Packet-out: batches", 0, PacketOutHeader),
        ("Packet-out: batches", 1, Entry),
    ],
)
def test_layouts(section: str, number: int, header: type[Header]) -> None:
    documented = [(row[2].split(" ")[0], int(row[0]), int(row[1])) for row in tables(section)[number]]
    fields = layout_of(header).fields
    assert documented == [(field.name, field.offset_bits // BITS_PER_BYTE, field.bits // BITS_PER_BYTE) for field in fields]


def test_messages() -> None:
    rows = {row[2].split(" ")[0]: row for row in tables("Messages")[0]}
    assert numbered(rows["type"][3]) == in_words(MessageType)
    assert rows["version"][3] == str(constants.VERSION)
    documented = {1 << int(bit): name for bit, name in re.findall(r"bit (\d) (\w+)", rows["flags"][3])}
    assert documented == {int(flag): str(flag.name).lower() for flag in Flags if flag}


def test_reasons_of_malformed_messages() -> None:
    assert [row[0] for row in tables("Malformed messages")[0]] == [f"{reason} {reason.name}" for reason in ErrorReason]


def test_events() -> None:
    rows = tables("Packet-in: events")[1]
    assert dict(kind for row in rows for kind in numbered(row[0]).items()) == in_words(EventType)
    for row in rows:
        (event,) = numbered(row[0])
        verdicts = VERDICTS.get(EventType(event))
        assert (numbered(row[2]) if verdicts else row[2]) == (in_words(verdicts) if verdicts else "0"), row  # type: ignore[arg-type]


def test_entries() -> None:
    rows = tables("Packet-out: batches")[2]
    assert dict(kind for row in rows for kind in numbered(row[0]).items()) == in_words(EntryType)


def test_decisions_that_can_be_left_out() -> None:
    rows = {row[0]: row[1] for row in tables("Leaving decisions out")[0]}
    assert list(rows) == list(Decision)
    for decision, how in rows.items():
        assert (f"-D NODECTL_WITHOUT_{decision}" in how) == (decision in DATA_PLANE)
        assert (f"--without {decision}" in how) == (decision in CONTROLLER)


@pytest.mark.parametrize(
    "phrase",
    [
        f"port {constants.UDP_PORT} to port {constants.UDP_PORT}",
        f"The payload is always {headers.MESSAGE_BYTES} bytes (UDP length {headers.UDP_LENGTH_BYTES}, "
        f"IPv4 length {headers.IPV4_LENGTH_BYTES}, frame {headers.FRAME_BYTES})",
        f"UDP length not {headers.UDP_LENGTH_BYTES}, IPv4 length not {headers.IPV4_LENGTH_BYTES}",
        f"version not {constants.VERSION}",
        f"{constants.WAYS} ways of {constants.SLOTS_PER_WAY} slots",
        f"way · {constants.SLOTS_PER_WAY} + index; {constants.NO_SLOT:#X}: none".replace("X", "x", 1),
        f"clone session {constants.CLONE_SESSION} to the CPU port ({constants.CPU_PORT})",
        f"`packet_in` has {headers.EVENT_BYTES} bytes",
        f"`packet_out`, {headers.PACKET_OUT_HEADER_BYTES} bytes",
        f"magic (`0x{constants.PACKET_OUT_MAGIC:012X}`)",
        f"count (1 to {constants.MAX_BATCH_ENTRIES})",
        f"`count` entries of {headers.ENTRY_BYTES} bytes",
        f"TTL {constants.NEW_MESSAGE_TTL}",
        f"senders refresh their records every {constants.REFRESH_INTERVAL_S:g} s",
    ],
)
def test_lengths_and_numbers_in_the_text(phrase: str) -> None:
    assert phrase in " ".join(PAGE.split())
