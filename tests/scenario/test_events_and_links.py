"""Events and links of scenario files: one action an event, directions by themselves, impossible values refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from scenario.events import Event
from scenario.links import Link
from scenario.topologies import KINDS


def test_a_link_event_gathers_the_link_keys() -> None:
    event = Event.model_validate({"at_s": 5, "set_link": ["s1", "s2"], "rate_mbps": 20, "delay_ms": 4})
    assert event.changes == {"rate_mbps": 20, "delay_ms": 4}
    assert str(event) == "set link s1–s2 (rate_mbps = 20, delay_ms = 4)"
    assert str(Event(at_s=7, kill="controller")) == "kill controller"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"at_s": 1}, "this one has none"),
        ({"at_s": 1, "kill": "controller", "restart": "controller"}, "this one has kill, restart"),
        ({"at_s": 1, "set_link": ["s1", "s2"]}, "say which keys"),
        ({"at_s": 1, "explode": "h1"}, "explode"),
        ({"at_s": -1, "kill": "controller"}, "at_s"),
    ],
)
def test_an_event_has_one_action(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Event.model_validate(fields)


def test_the_reverse_direction_differs_where_it_says_so() -> None:
    link = Link.model_validate({"rate_mbps": 10, "delay_ms": 5, "queue_packets": 50, "reverse": {"rate_mbps": 1, "queue_bytes": 3000}})
    assert (link.there.rate_mbps, link.back.rate_mbps, link.back.delay_ms) == (10, 1, 5)
    assert (link.there.queue_packets, link.back.queue_packets, link.back.queue_bytes) == (50, None, 3000)
    assert Link(rate_mbps=1).queue_packets == 1000


@pytest.mark.parametrize(
    "fields",
    [
        {"rate_mbps": 0},
        {"rate_mbps": 1, "loss_percent": 100},
        {"rate_mbps": 1, "reverse": {"speed": 3}},
        {"rate_mbps": 1, "trace": [{"at_s": 2, "rate_mbps": 1}, {"at_s": 1, "rate_mbps": 2}]},
        {"rate_mbps": 1, "trace": [{"at_s": 2, "rate_mbps": 1}], "trace_repeats_after_s": 2},
        {"rate_mbps": 1, "burst_loss": {"enter_percent": 0, "leave_percent": 10}},
    ],
)
def test_impossible_links_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Link.model_validate(fields)


def test_single_hosts_have_access_links_of_their_own() -> None:
    fields: dict[str, Any] = {"kind": "dumbbell", "pairs": 2, "access": {"rate_mbps": 100, "delay_ms": 1}, "bottleneck": {"rate_mbps": 10}}
    near_and_far = KINDS["dumbbell"].model_validate(fields | {"access_of": {"h2": {"delay_ms": 70}}})
    delays = {one.host: one.link.there.delay_ms for one in near_and_far.layout().hosts}
    assert delays == {"h1": 1, "h2": 70, "h3": 1, "h4": 1}
    with pytest.raises(ValidationError, match="there is no host 'h9'"):
        KINDS["dumbbell"].model_validate(fields | {"access_of": {"h9": {"delay_ms": 1}}})
    with pytest.raises(ValidationError, match=r"access_of.h1: key `delay_ms`: -1 is not allowed"):
        KINDS["dumbbell"].model_validate(fields | {"access_of": {"h1": {"delay_ms": -1}}})
