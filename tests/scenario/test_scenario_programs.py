"""Ordinary programs in a scenario file."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from scenario.scenario import Scenario
from scenario.transmissions import Program

NETWORK = {
    "title": "programs",
    "topology": {
        "kind": "dumbbell",
        "pairs": 1,
        "access": {"rate_mbps": 100, "delay_ms": 1},
        "bottleneck": {"rate_mbps": 10, "delay_ms": 1},
    },
    "run": {"schemes": ["nodectl"], "duration_s": 5},
}
SERVER = {"name": "web", "host": "h1", "command": ["nginx"], "listens_on": 80}
CLIENT = {"name": "curl", "host": "h2", "command": ["curl", "http://$h1/$number"], "count": 2}


def scenario(*programs: dict[str, Any], **more: Any) -> Scenario:
    return Scenario.model_validate(NETWORK | {"programs": list(programs)} | more)


def test_each_of_several_has_a_name_and_a_number() -> None:
    program = scenario(SERVER, CLIENT).programs[1]
    assert program.names == ["curl1", "curl2"]
    assert program.words(2, {"h1": "10.0.0.1"}) == ["curl", "http://10.0.0.1/2"]


def test_one_alone_keeps_its_name() -> None:
    assert Program.model_validate(CLIENT | {"count": 1}).names == ["curl"]


@pytest.mark.parametrize(
    ("programs", "more", "message"),
    [
        ([SERVER], {}, "all programs are servers"),
        ([SERVER, SERVER | {"count": 2}], {}, "a server runs once"),
        ([SERVER, CLIENT | {"host": "h9"}], {}, "there is no host 'h9'"),
        ([SERVER, CLIENT | {"command": ["curl", "$nowhere"]}], {}, "\\$nowhere stands for nothing"),
        ([SERVER, CLIENT | {"command": []}], {}, "at least 1 item"),
        ([SERVER, CLIENT, CLIENT | {"name": "curl1", "count": 1}], {}, "the name is used twice"),
        ([SERVER, CLIENT | {"start_s": 6}], {}, "the run ends before that"),
        ([CLIENT], {"transmissions": [{"name": "A", "sender": "h1", "receiver": "h2"}]}, "programs stand alone"),
        ([CLIENT], {"files": {"../outside": 1}}, "files"),
        ([CLIENT], {"files": {"much": 10**10}}, "files"),
    ],
)
def test_what_cannot_be(programs: list[dict[str, Any]], more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        scenario(*programs, **more)


def test_files_are_texts_or_sizes() -> None:
    assert scenario(CLIENT, files={"www/file": 1000, "web.conf": "listen 80;"}).files == {"www/file": 1000, "web.conf": "listen 80;"}
