"""The lists that follow from the controller's sentences."""

from __future__ import annotations

import pytest

from controller.narrate import changes
from view.recording.controller_log import ControllerLog, Said


def said(*sentences: str, clock: str = "00:00:10.000") -> list[Said]:
    log = ControllerLog(wall_clock_s=0.0, near_s=0.0, local=False)
    return [found for text in sentences if (found := log.take(f"{clock} INFO    {text}")) is not None]


def test_all_that_happens_to_a_record() -> None:
    found = said(
        "s1 port 4: A admitted at 36.0 Mbit/s",
        "s1 port 4: B admitted at 18.0 Mbit/s, A reduced 36.0 → 18.0",
        "s1 port 4: A takes 12.0 of 18.0 Mbit/s, limited elsewhere",
        "s1 port 4: B may go 18.0 → 24.0",
        "s1 port 4: B renegotiated 18.0 → 24.0 Mbit/s",
        "s1 port 4: capacity 36.0 → 20.0 Mbit/s, B reduced 24.0 → 8.0",
        "s1 port 4: C refused at 3.0 Mbit/s: below its minimum of 5.0 Mbit/s",
        "s1 port 4: A finished, 12.0 Mbit/s free again",
        "s1 port 4: B timed out, 8.0 Mbit/s free again",
    )
    assert [one.shares for one in found] == [
        {"A": 36.0}, {"A": 18.0, "B": 18.0}, {"A": 12.0, "B": 18.0}, None, {"A": 12.0, "B": 24.0}, {"A": 12.0, "B": 8.0}, None,
        {"B": 8.0}, {},
    ]  # fmt: skip
    assert found[5].capacity_mbps == 20.0
    assert (found[0].switch, found[0].port, found[0].time_s) == ("s1", 4, 10.0)


def test_ports_have_lists_of_their_own() -> None:
    found = said(
        "s1 port 4: A admitted at 36.0 Mbit/s", "s2 port 1: A admitted at 30.0 Mbit/s", "s1 port 4: A finished, 36.0 Mbit/s free again"
    )
    assert [one.shares for one in found] == [{"A": 36.0}, {"A": 30.0}, {}]


def test_a_list_that_was_cut_is_completed() -> None:
    admitted = [f"s1 port 4: {name} admitted at 6.0 Mbit/s" for name in "ABCDEF"]
    found = said(*admitted, "s1 port 4: G admitted at 5.1 Mbit/s, A reduced 6.0 → 5.1, B reduced 6.0 → 5.1 and 4 more")
    assert found[-1].shares == dict.fromkeys("ABCDEFG", 5.1)


def test_what_is_no_ports_is_told_as_it_is() -> None:
    found = said("s1 connected: pipeline loaded, 10 table entries written", "s1 port x: nonsense")
    assert [(one.switch, one.shares) for one in found] == [(None, None), (None, None)]
    assert ControllerLog(0.0, 0.0, local=False).take("Traceback (most recent call last):") is None


@pytest.mark.parametrize(
    ("near_s", "clock", "expected"), [(86_395.0, "00:00:05.000", 86_405.0), (3 * 86_400.0, "23:59:59.500", 3 * 86_400 - 0.5)]
)
def test_midnight_is_no_trouble(near_s: float, clock: str, expected: float) -> None:
    found = ControllerLog(0.0, near_s, local=False).take(f"{clock} INFO    s1 port 4: A admitted at 1.0 Mbit/s")
    assert found is not None
    assert found.time_s == pytest.approx(expected)


def test_the_verbs_are_the_controllers() -> None:
    # The sentences are made in controller/narrate.py; if its words change, these have to.
    assert changes({}, "reduced", None) == ""  # type: ignore[arg-type]
    from controller import adjustment_lists, known_switch, narrate

    source = (adjustment_lists.__file__, known_switch.__file__, narrate.__file__)
    text = "".join(open(file, encoding="utf-8").read() for file in source if file)  # noqa: PTH123, SIM115
    for words in (
        "admitted at",
        "renegotiated",
        "reduced",
        "may go",
        "refused",
        "finished",
        "timed out",
        "failed to negotiate",
        "takes",
        "capacity",
    ):
        assert words in text


def test_damaged_sentences_change_no_list() -> None:
    found = said("s1 port 4: A admitted at 36.0 Mbit/s", "s1 port 4: B admitted at 1.2.3 Mbit/s", "s1 port 4: A reduced ... → . and 3 more")
    assert [one.shares for one in found] == [{"A": 36.0}, None, None]
