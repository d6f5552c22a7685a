"""Scenario files: the ones we ship load; wrong ones are refused with file, key and reason."""

from pathlib import Path

import pytest

from experiments.published import published_table
from protocol.errors import UserError
from scenario.file import load_scenario

SCENARIOS = Path(__file__).resolve().parents[2] / "experiments" / "scenarios"
GOOD = (SCENARIOS / "staggered.toml").read_text()


@pytest.mark.parametrize("file", sorted(SCENARIOS.glob("*.toml")), ids=lambda file: file.stem)
def test_shipped_scenarios_load(file: Path) -> None:
    scenario = load_scenario(file)
    if scenario.published:
        assert published_table(scenario.published)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("packet_bytes = 1052", "packet_size = 1052", "packet_size: unknown key"),
        ("rate_mbps = 36", "rate_mbps = -36", r"topology\.bottleneck\.rate_mbps: Input should be greater than 0"),
        ("queue_packets = 100", 'queue_packets = "many"', r"queue_packets: .*integer"),
        ('sender = "h1"', 'sender = "h9"', "there is no host 'h9'"),
        ('receiver = "h4"', 'receiver = "h1"', "same host"),
        ('name = "B"', 'name = "A"', "name is used twice"),
        ('receiver = "h4"', 'receiver = "h2"', "host h2 both sends and receives"),
        ('sender = "h2"\nreceiver = "h5"', 'sender = "h1"\nreceiver = "h4"', "two transmissions from h1 to h4"),
        ("start_s = 10", "start_s = 30", "starts at 30 s but ends before"),
        ("duration_s = 21", "duration_s = 5", "ends before|longer than"),
        ('kind = "dumbbell"', 'kind = "ring"', r"topology\.kind"),
        ("[run]", "[run", "not valid TOML"),
        ('"bbr"]', '"reno"]', "a scheme is named twice"),
    ],
)
def test_wrong_scenarios_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    file = tmp_path / "wrong.toml"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(UserError, match=message) as caught:
        load_scenario(file)
    assert str(file) in str(caught.value)


def test_missing_file_and_binary_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        load_scenario(tmp_path / "none.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not a text file"):
        load_scenario(binary)


def test_what_has_ended_is_not_measured() -> None:
    assert load_scenario(SCENARIOS / "departure.toml").measured_together == ["B"]
    assert load_scenario(SCENARIOS / "staggered.toml").measured_together == ["A", "B", "C"]
