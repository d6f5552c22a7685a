"""A wish that a make target or command would ignore is refused, before anything is installed or measured."""

from __future__ import annotations

import subprocess
import sys

import pytest

from common.errors import EXIT_CANNOT_RUN
from common.installation import PROJECT


@pytest.mark.parametrize(
    ("target", "wish"),
    [
        ("cli", "CLUSTER=auto"),
        ("cli", "TRACE=A"),
        ("cli", "SEED=2"),
        ("reproduce", "CAPTURE=s1-s2"),
        ("reproduce", "LIVE=1"),
        ("reproduce", "TRACE=A"),
        ("reproduce", "SCHEMES=cubic"),
        ("lab", "CAPTURE=s1-s2"),
        ("lab", "LIVE=1"),
    ],
)
def test_a_target_says_what_it_does_not_know(target: str, wish: str) -> None:
    name, _, value = wish.partition("=")
    done = subprocess.run(
        ["make", "--silent", f"check-{target}", f"{name}={value}"], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.returncode == EXIT_CANNOT_RUN
    assert done.stderr.splitlines()[0].startswith(f"make {target} knows no {name}=: ")
    assert done.stdout == ""


@pytest.mark.parametrize(
    "wishes",
    [
        ["cli", "CAPTURE=s1-s2", "TIME=real", "LISTEN=:8080"],
        ["reproduce", "CLUSTER=auto", "TIME=virtual"],
        ["lab", "LAB=3", "TIME=real"],
        ["run", "TRACE=A"],
    ],
)
def test_what_a_target_knows_it_takes(wishes: list[str]) -> None:
    target, *variables = wishes
    subprocess.run(["make", "--silent", f"check-{target}", *variables], cwd=PROJECT, check=True)


def test_an_end_that_is_not_there_is_refused_at_the_prompt() -> None:
    command = [sys.executable, "-m", "testbed", "cli", "--capture", "s1-s9"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == EXIT_CANNOT_RUN
    assert done.stderr.startswith("CAPTURE: there is no s1-s9 in this network\n")


def test_a_place_for_a_page_that_there_is_not() -> None:
    command = [sys.executable, "-m", "testbed", "run", "--listen", ":8080"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == EXIT_CANNOT_RUN
    assert done.stderr.splitlines() == ["LISTEN=:8080 names the live page's address, but there is no page", "  add LIVE=1"]
