"""The testbed's own command line takes make's words of the form NAME=VALUE as well."""

from __future__ import annotations

import re

import pytest

from common.errors import UserError
from testbed.command_line.make_words import OPTIONS, with_options
from tests.harness.switches import REPOSITORY


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("run SCHEMES=reno,nodectl QUICK=1", "run --schemes reno,nodectl --quick"),
        ("run SCENARIO=web_files SEED=2", "run --seed 2 -- web_files"),
        ("run scenario.toml --seed 2", "run scenario.toml --seed 2"),
        ("lab LAB=3 RUN=only TIME=real", "lab 3 --only-run --time real"),
        ("lab 3 RUN=no FROM=mine", "lab --no-run --from mine 3"),
        ("replay RUN=results/latest LISTEN=:80", "replay results/latest --listen :80"),
        ("export OUT=run.html", "export --out run.html"),
        ("reproduce PAPER=nodectl ONLY=table3", "reproduce --only table3 -- nodectl"),
        ("run LIVE=", "run"),
        ("run P4APP=exercises/basic SOLUTION=1", "tutorial --solution -- exercises/basic"),
        ("labs", "labs"),
        ("", ""),
    ],
)
def test_words_of_make_are_options(typed: str, meant: str) -> None:
    assert with_options(typed.split()) == meant.split()


def test_what_follows_two_dashes_is_nobodys_option() -> None:
    assert with_options(["run", "--", "SEED=2"]) == ["run", "--", "SEED=2"]


@pytest.mark.parametrize(("typed", "said"), [("run FLAVOUR=mild", "run knows no FLAVOUR="), ("lab LAB=1 RUN=maybe", "RUN is no or only")])
def test_a_word_that_would_be_ignored_is_a_mistake(typed: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        with_options(typed.split())


@pytest.mark.parametrize("command", OPTIONS)
def test_what_make_makes_options_of_the_command_line_knows(command: str) -> None:
    """The rules of the Makefile have the same names, which stand beside each other there."""
    rule = re.search(rf"^{command}:.*\n(?:\t.*\n)+", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert rule is not None
    in_rule = set(re.findall(r"\$\((?:if |filter \w+,\$\()?\$?\(?([A-Z]{2,})\b", rule[0])) - {"TESTBED", "PYTHON", "VENV"}
    assert in_rule <= OPTIONS[command].keys() | {"LISTEN"}
