"""Whose compiler and switch: every combination, and the message where something is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from common.built_program import built_program
from common.errors import UserError
from common.installation import PROJECT
from topo import toolchain
from topo.toolchain import Toolchain, choose

P4C_SCRIPT = """#!/bin/sh
[ "$1" = --version ] && { echo p4c-bm2-ss; echo "Version 1.2.3 (SHA: 0)"; exit; }
echo "$@" > "$(dirname "$0")/arguments"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path


def install(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(P4C_SCRIPT)
        (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("switch", "compiler", "has_p4c", "has_bmv2"),
    [
        ("embedded", "", False, False),
        ("embedded", "embedded", False, False),
        ("embedded", "p4c", True, False),
        ("bmv2", "", True, True),
        ("bmv2", "p4c", True, True),
        ("bmv2", "embedded", False, True),
    ],
)
def test_all_combinations(path: Path, switch: str, compiler: str, has_p4c: bool, has_bmv2: bool) -> None:
    install(path, "p4c-bm2-ss", "simple_switch_grpc")
    chosen = choose(switch, compiler, str(path))
    assert (chosen.p4c is not None, chosen.bmv2 is not None) == (has_p4c, has_bmv2)
    assert chosen.program.parent.name == ("p4c" if has_p4c else "build")
    assert chosen.describe()["compiler"] == ("p4c 1.2.3" if has_p4c else "embedded")


@pytest.mark.parametrize(
    ("there", "switch", "compiler", "message"),
    [
        ((), "bmv2", "", r"SWITCH=bmv2: p4c and simple_switch_grpc not found on PATH\n.*leave SWITCH and COMPILER out"),
        (("simple_switch_grpc",), "bmv2", "", r"SWITCH=bmv2: p4c not found on PATH\n.*add COMPILER=embedded"),
        (("p4c",), "bmv2", "", r"SWITCH=bmv2: simple_switch_grpc not found on PATH\n.*COMPILER=p4c alone"),
        (("p4c",), "bmv2", "embedded", r"SWITCH=bmv2 COMPILER=embedded: simple_switch_grpc not found"),
        ((), "embedded", "p4c", r"SWITCH=embedded COMPILER=p4c: p4c not found"),
        ((), "ovs", "", r"SWITCH=ovs is not known"),
        ((), "embedded", "gcc", r"COMPILER=gcc is not known"),
    ],
)
def test_what_is_missing_is_said(path: Path, there: tuple[str, ...], switch: str, compiler: str, message: str) -> None:
    install(path, *there)
    with pytest.raises(UserError, match=message):
        choose(switch, compiler, str(path))


def test_embedded_commands_of_the_same_names_are_not_taken_for_the_real_ones(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(path, "p4c-bm2-ss", "simple_switch_grpc")
    monkeypatch.setattr(toolchain, "BINARIES", path.resolve())
    with pytest.raises(UserError, match="p4c and simple_switch_grpc not found"):
        choose("bmv2", path=str(path))


@pytest.mark.parametrize("name", ["p4c-bm2-ss", "p4c"])
def test_driver_and_back_end_take_different_outputs(path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    install(path, name)
    monkeypatch.setattr(toolchain, "MADE", path / "build")
    chosen = choose("embedded", "p4c", str(path))
    chosen.compile()
    arguments = (path / "arguments").read_text().split()
    output, p4info = (Path(arguments[arguments.index(option) + 1]) for option in ("-o", "--p4runtime-files"))
    assert p4info.name == chosen.p4info.name
    assert output == (p4info.with_name(chosen.program.name) if name == "p4c-bm2-ss" else p4info.parent)
    assert arguments[-1] == "p4src/nodectl.p4", "the folder of the checkout is no part of the program"


def test_what_was_compiled_elsewhere_is_taken_as_it_is(path: Path) -> None:
    assert Toolchain(compiled=path).compile(("WITHOUT_D3",)) == (path / "nodectl.json", path / "nodectl.p4info.txtpb")


def test_refusal_is_shown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path / "p4c").write_text("#!/bin/sh\necho no such thing >&2; exit 1\n")
    (path / "p4c").chmod(0o755)
    monkeypatch.setattr(toolchain, "MADE", path / "build")
    with pytest.raises(UserError, match=r"(?s)cannot compile.*no such thing"):
        choose("embedded", "p4c", str(path)).compile()


def test_a_compiler_that_is_not_built_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_built(name: str) -> Path:
        return built_program(name, path)

    monkeypatch.setattr(toolchain, "built_program", not_built)
    monkeypatch.setattr(toolchain, "MADE", path / "build")
    with pytest.raises(UserError, match=r"not built yet: .*p4c-bm2-ss\n.*make setup"):
        choose("embedded", "embedded", str(path)).compile(source=PROJECT / "p4src" / "ecn.p4")


def test_make_asks_before_anything_is_installed(path: Path) -> None:
    command = [sys.executable, "-S", "-m", "topo.toolchain", "bmv2", ""]
    result = subprocess.run(command, cwd=PROJECT, env={"PATH": str(path)}, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "SWITCH=bmv2: p4c and simple_switch_grpc not found" in result.stderr
