"""The wheel and the Debian package, made of what is built here, in an environment of their own."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from distribution import debian, manual, wheel
from distribution.contents import COMMANDS, version
from tests.harness.switches import binaries

PROGRAM = """#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> x; }
struct headers_t { h_t h; } struct meta_t { }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(h.h); transition accept; } }
control V(inout headers_t h, inout meta_t m) { apply { } }
control MyIngress(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    register<bit<32>>(4) seen;
    action forward(bit<9> port) { s.egress_spec = port; }
    table go { key = { h.h.x : exact; } actions = { forward; NoAction; } size = 16; default_action = NoAction(); }
    apply { seen.write(0, 1); go.apply(); } }
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers_t h) { apply { p.emit(h); } }
V1Switch(P(), V(), MyIngress(), E(), V(), D()) main;
"""
STF = "add go h.h.x:0x07 forward(port:2)\npacket 1 0711\nexpect 2 0711 $\n"

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


@pytest.fixture(scope="module")
def stripped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands without their debug information, which is most of them."""
    folder = tmp_path_factory.mktemp("stripped")
    for command in COMMANDS:
        subprocess.run(["strip", "-o", folder / command, binaries() / command], check=True)
    return folder


@pytest.fixture(scope="module")
def made(stripped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel."""
    return wheel.write(stripped, f"linux_{platform.machine()}", tmp_path_factory.mktemp("wheel"), stripped)


@pytest.fixture(scope="module")
def environment(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment in which nothing else is installed."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "--no-index", made], check=True)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.p4").write_text(PROGRAM)
    (tmp_path / "wrong.p4").write_text("header h { bit<8> x }\n")
    (tmp_path / "one.stf").write_text(STF)
    return tmp_path


def alone() -> dict[str, str]:
    """No other toolchain on PATH."""
    return {**os.environ, "PATH": "/usr/bin:/bin"}


@pytest.fixture
def fakes(tmp_path: Path) -> Path:
    """Files that are quickly packed, with the commands' names."""
    folder = tmp_path / "fakes"
    folder.mkdir()
    for command in COMMANDS:
        (folder / command).write_text(command)
    return folder


def test_the_same_contents_make_the_same_wheel(fakes: Path, stripped: Path, tmp_path: Path) -> None:
    first, second = (wheel.write(fakes, "linux_x86_64", tmp_path / name, stripped) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
    names = zipfile.ZipFile(first).namelist()
    assert {f"nodectl_p4-{version()}.data/scripts/{command}" for command in COMMANDS} <= set(names)
    assert "nodectl_p4/p4include/v1model.p4" in names


def test_installed_commands(environment: Path, folder: Path) -> None:
    def run(*words: str) -> str:
        command = [str(environment / "bin" / words[0]), *words[1:]]
        return subprocess.run(command, cwd=folder, env=alone(), capture_output=True, text=True, check=True).stdout

    assert run("p4c", "--version").startswith("p4c 1.2.5 (")
    run("p4c", "-o", "out", "one.p4")
    assert (folder / "out" / "one.json").exists()
    assert run("p4test", "one.p4", "one.stf") == "1 packets in, 1 checks passed\n"
    assert (environment / "share" / "man" / "man1" / "p4c.1").exists()


def test_the_module(environment: Path, folder: Path) -> None:
    result = subprocess.run(
        [environment / "bin" / "python", "-c", SCRIPT], cwd=folder, env=alone(), capture_output=True, text=True, check=True
    )
    lines = result.stdout.splitlines()
    assert lines[:5] == [
        "MyIngress.go 16 [('h.h.x', 8, 'exact')]",
        "['MyIngress.forward', 'NoAction'] 9",
        "4 True",
        "Entry has been added with handle 0",
        "7",
    ]
    assert lines[5].startswith("wrong.p4:1:")
    assert "missing.json" in lines[6]


def test_packet_tests_are_items_of_pytest(environment: Path, folder: Path) -> None:
    (folder / "other.stf").write_text("# program: one.p4\n" + STF.replace("expect 2 0711", "expect 2 0712"))
    (folder / "pytest.ini").write_text("[pytest]\n")
    # pytest itself is this environment's.
    site = next((environment / "lib").glob("python3*/site-packages"))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    env = {**alone(), "PYTHONPATH": str(site), "NODECTL_P4_BINARIES": str(environment / "bin")}
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in result.stdout, result.stdout + result.stderr
    assert "other.stf" in result.stdout


def test_the_debian_package(fakes: Path, stripped: Path, tmp_path: Path) -> None:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg-deb is not there: no Debian")
    package = debian.write(fakes, "amd64", tmp_path, stripped)
    listing = subprocess.run(["dpkg-deb", "--contents", package], capture_output=True, text=True, check=True).stdout
    for command in COMMANDS:
        assert f"./usr/bin/{command}\n" in listing
        assert f"./usr/share/man/man1/{command}.1.gz\n" in listing
    fields = subprocess.run(["dpkg-deb", "--field", package, "Package", "Version"], capture_output=True, text=True, check=True).stdout
    assert fields == f"Package: nodectl-p4\nVersion: {version()}\n"


def test_pages_are_roff() -> None:
    page = manual.page("p4x", "Does x. More.\n\nUsage: p4x [OPTIONS]\n\nOptions:\n.dot\n  -h, --help  'help'\n")
    assert '.TH "P4X" 1' in page
    assert ".SH NAME\np4x \\- Does x\n" in page
    assert "\n\\&.dot" in page
