"""The wheel and the Debian package of the commands that are built here, in an environment of their own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from switch.packages import debian, wheel
from switch.packages.contents import COMMANDS, version
from tests.harness.switches import binaries
from tests.packages import sample
from tests.packages.environments import alone, pip_install

SCRIPT = """
import nodectl_p4
program = nodectl_p4.compile("one.p4", defines={"A": 1})
table = program.p4info.table("go")
print(table.name, table.size, [(field.name, field.bits, field.kind) for field in table.key])
print([action.name for action in table.actions], program.p4info.action("forward").parameters[0].bits)
print(program.p4info.register("seen").size, program.warnings == "")
with nodectl_p4.Switch(program, device_id=3) as switch:
    print(switch.cli("table_add go forward 7 => 2").splitlines()[-1])
    print(switch.show("table", "go")[0]["h.h.x"])
try:
    nodectl_p4.compile("wrong.p4")
except nodectl_p4.CompileError as error:
    print(str(error).splitlines()[0])
try:
    with nodectl_p4.Switch("missing.json"):
        pass
except nodectl_p4.SwitchError as error:
    print(error)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sample.write(tmp_path)
    return tmp_path


@pytest.fixture
def fakes(tmp_path: Path) -> Path:
    """Files that are quickly packed, with the commands' names."""
    folder = tmp_path / "fakes"
    folder.mkdir()
    for command in COMMANDS:
        (folder / command).write_text(command)
    return folder


def test_the_same_contents_make_the_same_wheel(fakes: Path, tmp_path: Path) -> None:
    first, second = (wheel.write(fakes, "linux_x86_64", tmp_path / name, binaries()) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
    names = zipfile.ZipFile(first).namelist()
    assert {f"nodectl_p4-{version()}.data/scripts/{command}" for command in COMMANDS} <= set(names)
    assert "nodectl_p4/p4include/v1model.p4" in names


def test_installed_commands(environment: Path, folder: Path) -> None:
    def run(*words: str) -> str:
        command = [str(environment / words[0]), *words[1:]]
        return subprocess.run(command, cwd=folder, env=alone(), capture_output=True, text=True, check=True).stdout

    run("p4c", "-o", "out", "one.p4")
    assert (folder / "out" / "one.json").exists()
    assert run("p4test", "one.p4", "one.stf") == "1 packets in, 1 checks passed\n"
    assert (environment.parent / "share" / "man" / "man1" / "p4c.1").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_versions_say_whose_commands_they_are(command: str, environment: Path) -> None:
    result = subprocess.run([environment / command, "--version"], env=alone(), capture_output=True, text=True, check=True)
    said = result.stdout or result.stderr
    assert "(Nodectl P4 toolchain" in said
    # Scripts take the number out of the output of p4c and BMv2 like this.
    before_it = {"p4c-bm2-ss": "p4c-bm2-ss\nVersion ", "simple_switch_grpc": "", "simple_switch": ""}.get(command, f"{command} ")
    assert re.match(re.escape(before_it) + r"\d+\.\d+\.\d+ \(", said)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_and_the_completion_have_every_option(command: str, environment: Path) -> None:
    share = environment.parent / "share"
    told = subprocess.run([environment / command, "--help"], env=alone(), capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"(?<=\s)--[A-Za-z][A-Za-z0-9_-]*", told.partition("Options:")[2]))
    assert "--help" in options
    page = (share / "man" / "man1" / f"{command}.1").read_text().replace("\\-", "-")
    completed = {
        "bash": share / "bash-completion" / "completions" / command,
        "zsh": share / "zsh" / "site-functions" / f"_{command}",
        "fish": share / "fish" / "vendor_completions.d" / f"{command}.fish",
    }
    for option in options:
        assert option in page
        assert option in completed["bash"].read_text()
        assert option in completed["zsh"].read_text()
        assert f" -l {option[2:]} " in completed["fish"].read_text().replace("\n", " \n") or option == "--help"


def test_the_manual_is_one_for_man(environment: Path) -> None:
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    for page in sorted((environment.parent / "share" / "man" / "man1").iterdir()):
        shown = subprocess.run(["man", "--warnings", "--local-file", page], capture_output=True, text=True, check=True)
        assert shown.stderr == ""
        assert "SYNOPSIS" in shown.stdout


def test_bash_completes(environment: Path) -> None:
    script = environment.parent / "share" / "bash-completion" / "completions" / "p4c"
    words = 'source "$1"; COMP_WORDS=(p4c --p4runtime-fi); COMP_CWORD=1; _p4c p4c --p4runtime-fi p4c; echo "${COMPREPLY[@]}"'
    completed = subprocess.run(["bash", "-c", words, "bash", script], capture_output=True, text=True, check=True).stdout
    assert completed.split() == ["--p4runtime-files", "--p4runtime-file"]


def test_the_module(environment: Path, folder: Path) -> None:
    result = subprocess.run([environment / "python", "-c", SCRIPT], cwd=folder, env=alone(), capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    assert lines[:5] == [
        "MyIngress.go 16 [('h.h.x', 8, 'exact')]",
        "['MyIngress.forward', 'NoAction'] 9",
        "4 True",
        "Entry has been added with handle 0",
        "7",
    ]
    assert lines[5].startswith("wrong.p4(1): ")
    assert "missing.json" in lines[6]


def test_it_finds_its_commands_in_any_folder(quick_wheel: Path, environment: Path, tmp_path: Path) -> None:
    pip_install(environment, "--no-index", "--target", tmp_path, quick_wheel)
    script = "from nodectl_p4.binaries import binary; print(binary('p4c'))"
    env = {**alone(), "PYTHONPATH": str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True).stdout
    assert found == f"{tmp_path / 'bin' / 'p4c'}\n"


def test_packet_tests_are_items_of_pytest(environment: Path, folder: Path) -> None:
    (folder / "other.stf").write_text("# program: one.p4\n" + sample.STF.replace("expect 2 0711", "expect 2 0712"))
    (folder / "pytest.ini").write_text("[pytest]\n")
    # pytest itself is this environment's.
    site = next(environment.parent.glob("lib/python3*/site-packages"))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    env = {**alone(), "PYTHONPATH": str(site), "NODECTL_P4_BINARIES": str(environment)}
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in result.stdout, result.stdout + result.stderr
    assert "other.stf" in result.stdout


def test_the_debian_package(fakes: Path, tmp_path: Path) -> None:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg-deb is not there: no Debian")
    package = debian.write(fakes, "amd64", tmp_path, binaries())
    listing = subprocess.run(["dpkg-deb", "--contents", package], capture_output=True, text=True, check=True).stdout
    for command in COMMANDS:
        assert f"./usr/bin/{command}\n" in listing
        assert f"./usr/share/man/man1/{command}.1.gz\n" in listing
    fields = subprocess.run(["dpkg-deb", "--field", package, "Package", "Version"], capture_output=True, text=True, check=True).stdout
    assert fields == f"Package: nodectl-p4\nVersion: {version()}\n"
