"""The commands of docs/toolchain/install.md, executed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from distribution.contents import COMMANDS
from distribution.debian_root import ARCHITECTURES
from tests.distribution import sample
from tests.distribution.debian_system import debian_system
from tests.distribution.environments import alone
from tests.distribution.made_packages import made
from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY

PAGE = (REPOSITORY / "docs" / "toolchain" / "install.md").read_text()


def blocks(section: str, language: str) -> list[str]:
    """The examples in a language beneath a heading, in order."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def with_package(package: Path, folder: Path) -> Path:
    """A folder with the package where a checkout has it, and a program."""
    sample.write(folder)
    (folder / "build" / "packages").mkdir(parents=True)
    shutil.copy(package, folder / "build" / "packages")
    return folder


def test_every_section_is_executed_here() -> None:
    assert re.findall(r"\n## (.*)", PAGE) == ["With pip", "With dpkg", "With cargo"]
    assert [block.strip() for section in ("With pip", "With dpkg") for block in blocks(section, "sh")[:1]] == ["make wheel", "make deb"]


def installed_with_pip(package: Path, folder: Path) -> None:
    with_package(package, folder)
    _, *commands = blocks("With pip", "sh")
    ran = subprocess.run(["bash", "-exc", "".join(commands)], cwd=folder, env=alone(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "v1model.p4" in ran.stdout
    for program in blocks("With pip", "python"):
        ran = subprocess.run(["p4/bin/python", "-c", program], cwd=folder, env=alone(), capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.startswith("16\n127.0.0.1:")
        assert "Entry has been added" in ran.stdout


def test_with_pip(quick_wheel: Path, tmp_path: Path) -> None:
    installed_with_pip(quick_wheel, tmp_path)


@only_long
@pytest.mark.timeout(3000)
def test_with_pip_as_make_makes_it(tmp_path: Path) -> None:
    installed_with_pip(made("wheel", os.uname().machine), tmp_path)


@only_long
@pytest.mark.timeout(3000)
def test_with_dpkg(tmp_path: Path) -> None:
    own = os.uname().machine
    system = debian_system("bookworm", ARCHITECTURES[own])
    with_package(made("deb", own), tmp_path)
    [_, commands] = blocks("With dpkg", "sh")
    assert "Nodectl" in system.run(f"cd /work\n{commands}", {tmp_path: "/work"})


@only_long
@pytest.mark.timeout(3000)
def test_with_cargo(tmp_path: Path) -> None:
    [commands] = blocks("With cargo", "sh")
    environment = {**os.environ, "CARGO_INSTALL_ROOT": str(tmp_path / "root")}
    ran = subprocess.run(["sh", "-ec", commands], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    binaries = tmp_path / "root" / "bin"
    assert {path.name for path in binaries.iterdir()} == set(COMMANDS)
    sample.write(tmp_path / "work")
    tested = [str(binaries / "p4test"), "one.p4", "one.stf"]
    told = subprocess.run(tested, cwd=tmp_path / "work", env=alone(), capture_output=True, text=True, check=True).stdout
    assert told == "1 packets in, 1 checks passed\n"
