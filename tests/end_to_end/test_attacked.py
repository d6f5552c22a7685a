"""A download over a port that another host attacks: the deployable variant leaves it what is its due, within 5 %. The whole path."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.end_to_end.conftest import measured
from tests.harness.long_tests import only_long

pytestmark = [
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed (apt-get install curl): it is NOT tested"),
    pytest.mark.real_time,
    only_long,
]

SCENARIO = Path(__file__).resolve().parents[2] / "scenario" / "examples" / "attacked.toml"
ALLOWED = 1.05


def took_s(tmp_path: Path, attack: str) -> float:
    """The download's time, in seconds, beside an attack on the deployable variant."""
    text = SCENARIO.read_text()
    for old, new in (
        ('"data"', f'"{attack}"'),
        ('["nodectl", "nodectl(variant=deployable)"]', '["nodectl(variant=deployable)"]'),
        ("duration_s = 31", "duration_s = 12"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = tmp_path / f"{attack}.toml"
    file.write_text(text)
    (record,) = measured(file, tmp_path / attack)
    took = record.values["took_s.victim"]
    assert took is not None, record.facts
    return took


@pytest.mark.parametrize(
    ("attack", "against"),
    [
        ("data", "none"),
        ("messages", "none"),
        ("syns", "none"),
        ("spoofed", "none"),
        ("long-rtt", "honest"),
    ],
)
def test_a_download_has_what_is_its_due(tmp_path: Path, attack: str, against: str) -> None:
    assert took_s(tmp_path, attack) <= ALLOWED * took_s(tmp_path, against)
