"""Plans: the values that replace missing ones, and the plans that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from hosts.commands import SamplesCommand, SendCommand, parse_command
from hosts.plan import Plan, TransmissionPlan, plan_of, read_plan
from protocol.wire import MAX_RATE_KBPS

ONE: dict[str, Any] = {"to": "10.0.0.4", "bytes": 1}


def test_nodectl_negotiates_and_others_do_not_unless_told() -> None:
    assert TransmissionPlan.model_validate(ONE).negotiates
    assert not TransmissionPlan.model_validate(ONE | {"cc": "cubic"}).negotiates
    assert TransmissionPlan.model_validate(ONE | {"cc": "reno", "negotiates": True}).negotiates
    assert not TransmissionPlan.model_validate(ONE | {"negotiates": False}).negotiates


def test_without_a_maximum_it_asks_for_the_most_a_message_can_say() -> None:
    assert TransmissionPlan.model_validate(ONE).max_rate_kbps == MAX_RATE_KBPS
    assert TransmissionPlan.model_validate(ONE | {"min_rate_bps": 5_000_001}).max_rate_kbps == MAX_RATE_KBPS
    assert TransmissionPlan.model_validate(ONE | {"max_rate_bps": 9_999}).max_rate_kbps == 9


def test_a_plan_is_what_was_written(tmp_path: Path) -> None:
    plan = Plan(transmissions=(TransmissionPlan.model_validate(ONE | {"content_id": 2**64 - 1}),), summaries=Path("s.jsonl"))
    file = tmp_path / "plan.json"
    file.write_text(plan.model_dump_json())
    assert read_plan(file) == plan


@pytest.mark.parametrize(
    ("transmissions", "message"),
    [
        ([ONE | {"content_id": 0}], "content_id"),
        ([ONE | {"content_id": 2**64}], "content_id"),
        ([ONE | {"content_id": 5}, ONE | {"content_id": 5}], "2 transmissions to 10.0.0.4 have the content_id 5"),
        ([ONE | {"summary": "a"}, ONE | {"samples": "a"}], "a is named 2 times"),
        ([ONE | {"min_rate_bps": 2000, "max_rate_bps": 1000}], "min_rate_bps is above max_rate_bps"),
        ([ONE | {"multipath": True, "other_addresses": ["10.0.0.3"]}], "other_addresses cannot be"),
        ([], "transmissions"),
    ],
)
def test_what_cannot_be_is_refused(transmissions: list[dict[str, Any]], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        Plan.model_validate({"transmissions": transmissions})


def test_one_name_may_go_to_several_receivers() -> None:
    plan = Plan.model_validate({"transmissions": [ONE | {"content_id": 5}, ONE | {"content_id": 5, "to": "10.0.0.5"}]})
    assert len(plan.transmissions) == 2


def test_command_line_options_that_do_not_go_together() -> None:
    with pytest.raises(UserError, match="neither how many bytes to send nor when to stop"):
        plan_of(to="10.0.0.4")


def test_commands() -> None:
    assert parse_command(b'{"command": "send", "plan": "p.json"}') == SendCommand(command="send", plan=Path("p.json"))
    samples = parse_command(b'{"command": "samples", "file": null}')
    assert isinstance(samples, SamplesCommand)
    assert samples.file is None


@pytest.mark.parametrize(
    "line",
    [
        b"send",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"[" * 99999,
        b'{"command": "stop"}',
        b'{"command": "send"}',
        b'{"command": "send", "plan": "p", "at": 1}',
        b'{"command": "samples"}',
        b'{"command": "samples", "file": "a", "interval_s": 0}',
    ],
)
def test_what_is_no_command_is_explained(line: bytes) -> None:
    with pytest.raises(UserError, match=r"^command: "):
        parse_command(line)
