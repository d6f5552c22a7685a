"""The headers of the P4 program, as it is compiled, are those of protocol/headers.py."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from protocol.deployable_headers import DEPLOYABLE_HEADERS
from protocol.headers import HEADERS, Event, MessageHeader
from protocol.layout import layout_of
from protocol.telemetry import Hop, TelemetryHeader
from protocol.variant import DEPLOYABLE
from tests.harness.switches import REPOSITORY, Combination, compile_program, require

Fields = list[tuple[str, int]]
"""Names and widths in bits, in order."""


@pytest.fixture(scope="module")
def p4_headers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Fields]:
    """Every header type of the compiled program, with that of its metadata ("scalars")."""
    require(Combination("embedded", "embedded"))
    return _headers_of(compile_program(REPOSITORY / "p4src" / "nodectl.p4", tmp_path_factory.mktemp("headers")))


@pytest.fixture(scope="module")
def deployable_p4_headers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Fields]:
    """The same of the deployable variant."""
    require(Combination("embedded", "embedded"))
    source = REPOSITORY / "p4src" / DEPLOYABLE.design.program
    return _headers_of(compile_program(source, tmp_path_factory.mktemp("headers")))


def _headers_of(program: Path) -> dict[str, Fields]:
    types = json.loads(program.read_bytes())["header_types"]
    return {kind["name"]: [(name, bits) for name, bits, *_ in kind["fields"]] for kind in types}


def test_both_have_the_same_headers(p4_headers: dict[str, Fields]) -> None:
    assert {name for name in p4_headers if name.endswith("_t")} == set(HEADERS)


@pytest.mark.parametrize("name", HEADERS)
def test_both_have_the_same_fields(name: str, p4_headers: dict[str, Fields]) -> None:
    assert [(field.name, field.bits) for field in layout_of(HEADERS[name]).fields] == p4_headers[name]


def test_the_deployable_variant_has_the_same_headers(deployable_p4_headers: dict[str, Fields]) -> None:
    in_program = {name: fields for name, fields in deployable_p4_headers.items() if name.endswith("_t")}
    in_python = {name: [(field.name, field.bits) for field in layout_of(header).fields] for name, header in DEPLOYABLE_HEADERS.items()}
    assert in_program == in_python


def test_telemetry_has_the_same_headers(tmp_path: Path) -> None:
    require(Combination("embedded", "embedded"))
    in_program = _headers_of(compile_program(REPOSITORY / "p4src" / "int.p4", tmp_path))
    for name, header in {"telemetry_t": TelemetryHeader, "hop_t": Hop}.items():
        assert [(field.name, field.bits) for field in layout_of(header).fields] == in_program[name]


def test_the_event_has_room_in_the_metadata(p4_headers: dict[str, Fields]) -> None:
    """The program gathers an event in its metadata before it writes the header."""
    (scalars,) = (dict(fields) for name, fields in p4_headers.items() if name.startswith("scalars"))
    for field in layout_of(Event).fields:
        if field.name != "reserved":
            assert scalars[f"userMetadata.{field.name}"] == field.bits, field.name


def test_the_checksum_goes_over_the_whole_message() -> None:
    messages = (REPOSITORY / "p4src" / "version_1.p4").read_text(encoding="utf-8")
    checksum = re.search(r"control UdpChecksum.*?hash\((.*?)\);", messages, re.DOTALL)
    assert checksum is not None
    assert tuple(re.findall(r"hdr\.nodectl\.(\w+)", checksum.group(1))) == layout_of(MessageHeader).names
