"""The contest's traces and scores, and answers that are held against numbers."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from labs.catalogue import lab_numbered
from labs.check.answers import Answers, expect_number
from labs.check.contest import NO_THROUGHPUT, Leg, score
from labs.check.vocabulary import Failed
from labs.checking import TRACES, load_module
from reports.experiment import ReportedExperiment

HOW = "the table"


def test_a_seed_gives_the_same_traces_everywhere(tmp_path: Path) -> None:
    traces = load_module(lab_numbered(7), TRACES)
    first, again, other = (traces.write(seed, "reno", tmp_path / name) for seed, name in ((1, "a"), (1, "b"), (2, "c")))
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in again]
    assert all(one.read_bytes() != two.read_bytes() for one, two in zip(first, other, strict=True))


def test_traces_are_scenarios(tmp_path: Path) -> None:
    traces = load_module(lab_numbered(7), TRACES)
    for file in traces.write(99, "cubic", tmp_path):
        (_, scenario), *others = ReportedExperiment.read(file).scenarios
        rates = [step.rate_mbps for step in scenario.topology.bottleneck.trace]  # type: ignore[attr-defined]
        assert not others
        assert len(rates) == 30
        assert all(rate == 0 or traces.LEAST_MBPS <= rate <= traces.MOST_MBPS for rate in rates)


def test_the_score_is_the_logarithm_of_throughput_over_delay() -> None:
    legs = [Leg("a", 4.0, 0.1), Leg("b", 1.0, 0.2)]
    assert score(legs) == pytest.approx((math.log(40) + math.log(5)) / 2)
    assert Leg("stalls", 0.0, 0.1).score == Leg("no samples", 1.0, 0.0).score == NO_THROUGHPUT


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("9.95", ""),
        ("5", "this is the mean"),
        ("5.2", "the run says more: the table"),
        ("20", "the run says less: the table"),
        ("'9.95'", "expected a number"),
        ("true", "expected a number"),
        ("inf", "expected a number"),
        ("'?'", "is not answered yet"),
    ],
)
def test_a_number_is_held_against_the_right_one_and_the_typical_wrong_ones(written: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(f"[a]\nb = {written}\n")
    answers = Answers.read(file)
    if not says:
        expect_number(answers, "a.b", 10.0, {"this is the mean": 5.0}, how=HOW)
        return
    with pytest.raises(Failed, match=says):
        expect_number(answers, "a.b", 10.0, {"this is the mean": 5.0}, how=HOW)


@pytest.mark.parametrize("text", ["a = 1\n", "[a\n", "[a]\nb = 1,5\n"])
def test_answers_that_cannot_be_read_are_told_so(text: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(text)
    with pytest.raises(Failed, match=r"answers\.toml"):
        Answers.read(file)
