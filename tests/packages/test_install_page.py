"""The commands of docs/toolchain/install.md, executed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from switch.packages.contents import COMMANDS, Kind
from switch.packages.debian_root import ARCHITECTURES
from tests.harness.long_tests import only_long
from tests.harness.pages import Page
from tests.harness.switches import REPOSITORY
from tests.packages import sample
from tests.packages.debian_system import debian_system
from tests.packages.environments import alone
from tests.packages.made_packages import made

PAGE = Page("toolchain/install.md")


def commands(section: str) -> list[str]:
    """The blocks of commands beneath a heading, in order."""
    return [block.text for block in PAGE.blocks("sh", section=section)]


def with_package(package: Path, folder: Path) -> Path:
    """A folder with the package where a checkout has it, and a program."""
    sample.write(folder)
    (folder / "build" / "packages").mkdir(parents=True)
    shutil.copy(package, folder / "build" / "packages")
    return folder


def test_every_section_is_executed_here() -> None:
    assert PAGE.headings() == ["With pip", "With dpkg", "With cargo", "In a checkout"]
    assert [commands(section)[0].strip() for section in ("With pip", "With dpkg")] == ["make wheel", "make deb"]


def installed_with_pip(package: Path, folder: Path) -> None:
    with_package(package, folder)
    _, *typed = commands("With pip")
    ran = subprocess.run(["bash", "-exc", "".join(typed)], cwd=folder, env=alone(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "v1model.p4" in ran.stdout


@only_long
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
    _, install, remove = commands("With dpkg")
    nothing_left = f"! test -e /{Kind.COMMAND.value}/p4c && ! test -e /{Kind.MODULE.value}"
    assert "Nodectl" in system.run(f"cd /work\n{install}{remove}{nothing_left}", {tmp_path: "/work"})


@only_long
@pytest.mark.timeout(3000)
def test_with_cargo(tmp_path: Path) -> None:
    [typed] = commands("With cargo")
    environment = {**os.environ, "CARGO_INSTALL_ROOT": str(tmp_path / "root")}
    ran = subprocess.run(["sh", "-ec", typed], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    binaries = tmp_path / "root" / "bin"
    assert {path.name for path in binaries.iterdir()} == set(COMMANDS)
    sample.write(tmp_path / "work")
    tested = [str(binaries / "p4test"), "one.p4", "one.stf"]
    told = subprocess.run(tested, cwd=tmp_path / "work", env=alone(), capture_output=True, text=True, check=True).stdout
    assert told == "1 packets in, 1 checks passed\n"


def test_in_a_checkout() -> None:
    [typed] = commands("In a checkout")
    first, _, rest = typed.partition("\n")
    assert first == "make switch", "which made what is tested here"
    ran = subprocess.run(["bash", "-ec", rest], cwd=REPOSITORY, env=alone(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "Nodectl" in ran.stdout
