"""The messages and actions of make before anything is built: on other systems, in copied checkouts."""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.harness.switches import REPOSITORY

MAKEFILE = "\n".join(file.read_text() for file in (REPOSITORY / "Makefile", *sorted(REPOSITORY.glob("make/*.mk"))))
ENVIRONMENTS = [".venv", ".venv-packages", ".venv-clients/shell"]
SYSTEMS = {
    "Debian 12": ('PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n', ""),
    "Debian 13": ('PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\nVERSION_ID="13"\n', ""),
    "Debian 11": ('PRETTY_NAME="Debian GNU/Linux 11 (bullseye)"\nID=debian\nVERSION_ID="11"\n', "this is Debian GNU/Linux 11 (bullseye)"),
    "testing": ('PRETTY_NAME="Debian GNU/Linux forky/sid"\nID=debian\n', "this is Debian GNU/Linux forky/sid"),
    "Ubuntu": ('PRETTY_NAME="Ubuntu 24.04"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n', "this is Ubuntu 24.04"),
    "another 12": ('PRETTY_NAME="Another 12"\nID=another\nVERSION_ID="12"\n', "this is Another 12"),
    "no name": ("", "this is an unknown system"),
}


def make(folder: Path, *arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    before = "" if path is None else f"{path}:"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", "-C", str(folder), *arguments],
        env=environment | {"PATH": before + os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_package_that_cannot_be_had_names_the_systems_that_are_tried(tmp_path: Path, system: str) -> None:
    description, said = SYSTEMS[system]
    (tmp_path / "os-release").write_text(description)
    command(tmp_path / "apt-get", "echo 'E: Unable to locate package' >&2\nexit 100")
    arguments = ("packages", "APT_PACKAGES=nodectl-no-such-package", "SUDO=", f"OS_RELEASE={tmp_path / 'os-release'}")
    result = make(REPOSITORY, *arguments, path=tmp_path)
    assert result.returncode == 2
    assert "could not install: nodectl-no-such-package" in result.stderr
    assert ("Debian 12 and 13 are tried" in result.stderr) == bool(said)
    assert said in result.stderr


def command(file: Path, script: str) -> None:
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def needed(tmp_path: Path, *needs: str) -> subprocess.CompletedProcess[str]:
    """Install where apt can install nothing but knows packages that end with -2, and dpkg has those that end with -there."""
    command(tmp_path / "apt-get", "[ $1 = update ]")
    command(tmp_path / "apt-cache", "case $2 in *-2) echo Package: $2;; esac")
    command(tmp_path / "dpkg-query", "echo installed one-there; echo not-installed two-there")
    (tmp_path / "tools").mkdir(exist_ok=True)
    for tool in ("bash", "sh", "sed", "grep", "awk", "dirname", "cat"):
        with suppress(FileExistsError):
            (tmp_path / "tools" / tool).symlink_to(f"/usr/bin/{tool}")
    script = [str(REPOSITORY / "make" / "install-debian.sh"), "2", "; words", *needs]
    environment = {"PATH": f"{tmp_path}:{tmp_path / 'tools'}", "SUDO": ""}
    return subprocess.run(script, env=environment, capture_output=True, text=True, check=False)


def test_a_need_has_other_names_in_other_releases(tmp_path: Path) -> None:
    assert needed(tmp_path, "other/one-there").returncode == 0, "under one of its names it is there"
    assert "installing Debian packages: library-2\n" in needed(tmp_path, "library/library-2").stdout


def test_what_is_missing_is_named_with_what_it_is_for(tmp_path: Path) -> None:
    result = needed(tmp_path, "one-there", "two-there", "python3-venv")
    assert result.returncode == 2
    assert "could not install: two-there, python3-venv (for the Python packages); words" in result.stderr


def test_a_command_will_do_wherever_it_comes_from(tmp_path: Path) -> None:
    assert needed(tmp_path, "mininet").returncode == 2
    command(tmp_path / "mnexec", "true")
    assert needed(tmp_path, "mininet").returncode == 0


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of a checkout that the rules of environments read, with environments that were made in it."""
    folder = tmp_path / "checkout"
    (folder / "switch").mkdir(parents=True)
    parts = [str(file.relative_to(REPOSITORY)) for file in sorted(REPOSITORY.glob("make/*"))]
    for name in ("Makefile", *parts, "switch/Cargo.toml", "requirements.lock", "pyproject.toml", "tests/p4runtime/clients/shell.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((REPOSITORY / name).read_bytes())
    for name in ENVIRONMENTS:
        fill(folder / name, made_in=folder / name)
        (folder / name / ".ready").touch()
    return folder


def fill(environment: Path, *, made_in: Path) -> None:
    """Write what `python -m venv` would have written in a folder."""
    (environment / "bin").mkdir(parents=True, exist_ok=True)
    (environment / "bin" / "pip").write_text(f"#!{made_in}/bin/python3\n")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_is_made_anew_in_a_copied_or_moved_checkout(checkout: Path, environment: str) -> None:
    target = f"{environment}/.ready"
    stays = make(checkout, "--dry-run", "--assume-old=packages", target)
    assert stays.returncode == 0, stays.stderr
    assert "-m venv" not in stays.stdout
    moved = checkout.rename(checkout.with_name("moved"))
    anew = make(moved, "--dry-run", "--assume-old=packages", target)
    assert f"rm -rf {environment}\n" in anew.stdout
    assert f"-m venv --system-site-packages {environment}" in anew.stdout.replace(
        f"venv  {environment}", f"venv --system-site-packages {environment}"
    )


def test_what_is_in_an_environment_goes_with_it(checkout: Path) -> None:
    """Ray, JupyterLab and the page's packages are installed again, into the new one."""
    os.utime(checkout / "requirements.lock", (1, 1))
    (checkout / ".venv" / ".browser-ready").touch()
    assert "up to date" in make(checkout, "--dry-run", ".venv/.browser-ready").stdout
    moved = checkout.rename(checkout.with_name("moved"))
    assert "pip install" in make(moved, "--dry-run", ".venv/.browser-ready").stdout


def test_a_checkout_whose_name_ends_like_the_others_is_another(checkout: Path) -> None:
    fill(checkout / ".venv", made_in=Path(f"/home/somebody{checkout}/.venv"))
    assert "rm -rf .venv\n" in make(checkout, "--dry-run", ".venv/.ready").stdout


def test_a_link_to_an_environment_is_left_alone(checkout: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (checkout / ".venv").rename(other / ".venv")
    fill(other / ".venv", made_in=other / ".venv")
    (checkout / ".venv").symlink_to(other / ".venv")
    assert "rm -rf" not in make(checkout, "--dry-run", ".venv/.ready").stdout


def test_nothing_is_run_by_a_script_that_holds_a_path() -> None:
    """A copied environment's scripts run the Python of the one that it was copied from."""
    scripts = re.findall(r"\bbin/(?!python|npm-cli\.js)[\w.-]+", re.sub(r"(?m)^\s*#.*$", "", MAKEFILE))
    assert set(scripts) <= {"bin/env", "bin/bash", "bin/pip", "bin/rustc"}
    assert MAKEFILE.count("bin/pip") == 1, "only looked at, not run"
    assert re.findall(r"\S+ pip3? install", MAKEFILE) == ["-m pip install"], "in one place"


def test_several_calls_of_make_at_once_leave_one_whole_program(checkout: Path) -> None:
    """Two runs that are begun in a new checkout at the same moment; here with a program that is there compiled, as in a handout."""
    ready = checkout / "switch" / "target" / "release" / ".run-ready"
    ready.parent.mkdir(parents=True)
    ready.touch()
    compiled = {"nodectl.json": "{}" * 1_000_000, "nodectl.p4info.txtpb": "# " * 1_000_000}
    (checkout / "p4src" / "compiled").mkdir(parents=True)
    for name, text in compiled.items():
        (checkout / "p4src" / "compiled" / name).write_text(text)
    with ThreadPoolExecutor(4) as together:
        results = list(
            together.map(lambda _: make(checkout, "--assume-old=switch/target/release/.run-ready", "build/nodectl.json"), range(8))
        )
    assert [result.returncode for result in results] == [0] * 8, results[0].stderr
    assert {file.name: file.read_text() for file in (checkout / "build").iterdir()} == compiled, "and nothing else"


def test_no_rule_reads_a_variable_before_the_file_that_sets_it() -> None:
    """make expands prerequisites as it reads them; an empty list of sources would never be built anew."""
    said = make(REPOSITORY, "--warn-undefined-variables", "--dry-run", "help").stderr
    unset = set(re.findall(r"undefined variable '(\w+)'", said))
    assert unset & set(re.findall(r"^(\w+) *[:?]?=", MAKEFILE, re.MULTILINE)) == set()
