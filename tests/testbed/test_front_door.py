"""One command line, one request: an option is a field, make's variables are options, and old names lead to new ones."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

from common.errors import EXIT_CANNOT_RUN, UserError
from common.terminal import terminal
from scenario.run_request import CLI, REPRODUCE, RUN, TUTORIAL, RunRequest, Size, check_make_variables, wishes, words_of_make
from testbed.command_line.app import app
from testbed.command_line.from_request import taking_a_request
from testbed.doctor import REAL_TIME, VIRTUAL_TIME, Part, can_run, examine, shown
from testbed.places import scenario_path
from testbed.prepared_run import carry_out, prepare

PROJECT = Path(__file__).resolve().parents[2]


def test_every_field_is_an_option_of_some_command() -> None:
    assert {field.name for field in fields(RunRequest)} == set(wishes())
    assert all(wish.help and wish.of for wish in wishes().values())


@pytest.mark.parametrize("command", [RUN, CLI, TUTORIAL, REPRODUCE])
def test_a_command_has_the_options_of_its_fields(command: str) -> None:
    said = CliRunner(env={"COLUMNS": "300"}).invoke(app, [command, "--help"]).output
    for name, wish in wishes().items():
        if command in wish.of and command not in wish.positional:
            assert f"--{name.replace('_', '-')}" in said
        elif command not in wish.positional:
            assert f"--{name.replace('_', '-')} " not in said


def test_what_is_typed_is_a_request() -> None:
    import typer

    got: list[RunRequest] = []
    one = typer.Typer()
    one.command()(taking_a_request(RUN)(got.append))
    words = ["web_load", "--schemes", "reno,nodectl", "--seed", "7", "--quick", "--grpc-base-port", "6000", "--capture", "s1-s2, h1-s1"]
    assert CliRunner().invoke(one, words).exit_code == 0
    assert got == [RunRequest("web_load", schemes="reno,nodectl", seed=7, quick=True, grpc_base_port=6000, capture="s1-s2, h1-s1")]
    assert (got[0].size, got[0].ends) == (Size.QUICK, ("s1-s2", "h1-s1"))
    assert CliRunner().invoke(one, ["--grpc-base-port", "80"]).exit_code != 0, "out of range"


def test_only_what_samples_may_depend_on_goes_inside() -> None:
    request = RunRequest("web_load", schemes="reno", live=True, cluster="auto", capture="all", trace="tcp", grpc_base_port=6000)
    assert request.inside == RunRequest(capture="all", trace="tcp", grpc_base_port=6000)


def test_variables_of_make_are_options() -> None:
    given = {"SCENARIO": "-odd.toml", "SCHEMES": "a,b c", "QUICK": "1", "SEED": "", "PAPER": "all", "HOME": "/root"}
    assert words_of_make(RUN, given) == ["--schemes", "a,b c", "--quick", "--", "-odd.toml"]
    assert words_of_make(REPRODUCE, given) == ["--quick", "--", "all"]
    assert words_of_make("replay", given) == []
    assert words_of_make("lab", {"LAB": "3", "SOLUTION": "1"}) == ["--solution"]


@pytest.mark.parametrize(
    ("command", "given"),
    [(CLI, {"TIME": "virtual"}), (RUN, {"TRACE": "tcp"}), (RUN, {"P4APP": "basic", "SOLUTION": "1"}), (REPRODUCE, {"LIVE": ""})],
)
def test_variables_that_a_target_knows(command: str, given: dict[str, str]) -> None:
    check_make_variables(command, given)


@pytest.mark.parametrize(
    ("command", "given"), [(CLI, {"TRACE": "tcp"}), (REPRODUCE, {"LIVE": "1"}), ("lab", {"SCHEMES": "reno"}), (RUN, {"SOLUTION": "1"})]
)
def test_variables_that_a_target_would_ignore(command: str, given: dict[str, str]) -> None:
    with pytest.raises(UserError, match=rf"make {command} knows no {next(iter(given))}=: "):
        check_make_variables(command, given)


def test_an_exercise_is_not_a_scenario() -> None:
    with pytest.raises(UserError, match="make run P4APP=basic knows no SCHEMES=: an exercise brings its own network"):
        check_make_variables(RUN, {"P4APP": "basic", "SCHEMES": "reno"})


def test_old_names_lead_to_the_new_ones() -> None:
    done = subprocess.run([sys.executable, "-m", "labs", "anything"], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == EXIT_CANNOT_RUN
    assert "python -m testbed labs" in done.stderr
    with pytest.raises(UserError, match="the scenarios are in") as told:
        scenario_path("experiments/scenarios/mesh.toml")
    assert str(told.value).endswith("mesh.toml")


def test_the_doctor_says_what_is_missing_and_what_to_do() -> None:
    parts = examine()
    assert len({part.name for part in parts}) == len(parts) >= 10
    assert all(part.remedy for part in parts if part.missing)
    assert shown(parts).row_count == len(parts)


def test_an_extra_in_square_brackets_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    terminal().print(shown([Part("several machines", "Python has no ray", remedy="pip install 'nodectl-testbed[cluster]'")]))
    assert "'nodectl-testbed[cluster]'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("virtual", "real", "expected"), [("", "", True), ("no kernel", "", True), ("", "no root", True), ("no", "no", False)]
)
def test_a_machine_without_either_time_can_run_nothing(virtual: str, real: str, expected: bool) -> None:
    assert can_run([Part("a"), Part(VIRTUAL_TIME, virtual), Part(REAL_TIME, real)]) is expected


def test_a_network_alone_is_for_a_prompt(tmp_path: Path) -> None:
    file = tmp_path / "network.toml"
    file.write_text(
        'schema = 2\ntitle = "A network"\n[topology]\nkind = "dumbbell"\npairs = 1\naccess = { rate_mbps = 10, delay_ms = 1 }\n'
        'bottleneck = { rate_mbps = 10, delay_ms = 1 }\n[run]\nschemes = ["cubic"]\nduration_s = 1\n'
    )
    with pytest.raises(UserError, match="there is nothing to transmit"):
        carry_out(prepare(RunRequest(scenario=str(file)), virtual=True), tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_an_installed_command_completes_words(tmp_path: Path) -> None:
    command = tmp_path / "testbed"
    command.write_text(f"#!{sys.executable}\nfrom testbed.command_line.app import main\n\nmain()\n")
    command.chmod(0o755)
    typed = {"_TESTBED_COMPLETE": "complete_bash", "COMP_WORDS": "testbed re", "COMP_CWORD": "1"}
    done = subprocess.run([command], env={**os.environ, **typed, "PYTHONPATH": str(PROJECT)}, capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == {"reproduce", "replay"}, done.stderr
    in_checkout = subprocess.run([sys.executable, "-m", "testbed", "--help"], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert "completion" not in in_checkout.stdout, "a shell would complete the words of Python"
