"""A claim comes with made-up points at which its words are true and false, and its rule tells them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from reports.definition import Claim
from tests.reports.parts.made_up import experiment

CLAIM = {"text": "Only Cubic is better", "source": "s", "values": {"a": "asymmetry"}, "rule": "abs(a.cubic) < abs(a.libra)"}
BETTER, WORSE = {"a": {"cubic": 0.1, "libra": -0.5}}, {"a": {"cubic": 0.5, "libra": 0.1}}


def test_a_rule_that_tells_its_examples_apart_loads() -> None:
    assert Claim.model_validate({**CLAIM, "true_for": [BETTER], "false_for": [WORSE]}).true_for == [BETTER]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"true_for": [BETTER, WORSE], "false_for": [WORSE]}, r"true_for\.1: the rule does not hold there"),
        ({"true_for": [BETTER], "false_for": [WORSE, BETTER]}, r"false_for\.1: the words are false there, and the rule holds"),
        ({"true_for": [BETTER], "false_for": [WORSE], "weaker": "a.cubic > 0"}, r"false_for\.0: .*holds: a\.cubic > 0"),
        ({"true_for": [{"b": {"cubic": 1}}], "false_for": [WORSE]}, "values of b; the rule's are a"),
        ({"true_for": [{"a": {"libra": 1}}], "false_for": [WORSE]}, "does not have what the rule names"),
    ],
)
def test_a_rule_weaker_or_stronger_than_its_examples_is_refused(wrong: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Claim.model_validate({**CLAIM, **wrong})


def test_the_message_names_file_and_claim(tmp_path: Path) -> None:
    report = '[[claims]]\ntext = "t"\nsource = "s"\nvalues = { t = "total_mbps" }\nrule = "t.reno > rate_mbps"\n'
    experiment(tmp_path, f"{report}true_for = [{{ rate_mbps = 1, t.reno = 2 }}]\nfalse_for = [{{ rate_mbps = 2, t.reno = 2 }}]\n")
    with pytest.raises(UserError, match=r"made_up\.toml: table \[\[claims\]\] 1: false_for\.0"):
        experiment(tmp_path, f"{report}true_for = [{{ rate_mbps = 1, t.reno = 2 }}]\nfalse_for = [{{ rate_mbps = 1, t.reno = 2 }}]\n")


def test_a_paper_s_claim_without_examples_does_not_load(tmp_path: Path) -> None:
    report = '[[claims]]\ntext = "It is so"\nsource = "s"\nvalues = { t = "total_mbps" }\nrule = "t.reno > 1"\n'
    experiment(tmp_path, report)
    (tmp_path / "paper.toml").touch()
    with pytest.raises(UserError, match="the claim “It is so” has no true_for"):
        experiment(tmp_path, report)
    with pytest.raises(UserError, match="the claim “It is so” has no false_for"):
        experiment(tmp_path, f"{report}true_for = [{{ t.reno = 2 }}]\n")
