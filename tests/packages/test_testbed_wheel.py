"""The wheel of the whole testbed in empty Debian systems: an ordinary user, no network, nothing of the testbed's but the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from switch.packages import debian_root
from switch.packages.debian_root import ARCHITECTURES
from testbed.emulated.linux_packages import install
from testbed.packaging.metadata import core_metadata
from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY
from tests.packages.debian_system import DebianSystem, debian_system
from tests.packages.made_packages import made
from tests.packages.published_digits import published

PROCESSOR = "x86_64"
PYTHONS = {"bookworm": "3.11", "trixie": "3.13", "sid": "3.14"}
MOST_BYTES = 90_000_000
USER = 1234
INSTALL = """
mkdir -p /home/student && chown {user}:{user} /home/student && cd /home/student
exec env HOME=/home/student setpriv --reuid={user} --regid={user} --clear-groups sh -ec '
python3 -m venv env
env/bin/pip install --quiet --no-index --disable-pip-version-check --find-links /wheelhouse "/packages/{wheel}"
{more}'
"""

pytestmark = [only_long, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def wheel() -> Path:
    return made("wheel-testbed", PROCESSOR)


@pytest.fixture(scope="module")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that the wheel needs, for every Python that is tried."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    folder.chmod(0o755)  # for the ordinary user
    needed = re.findall(r"^Requires-Dist: ([\w.-]+)>=([\w.]+)$", core_metadata().decode(), re.MULTILINE)
    for python in PYTHONS.values():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--only-binary=:all:",
            "--python-version",
            python,
            "--dest",
            str(folder),
        ]
        command += ["--constraint", str(REPOSITORY / "requirements.lock")]
        for glibc in ("2_12", "2_17", "2_27", "2_28"):
            command += ["--platform", f"manylinux_{glibc}_{PROCESSOR}"]
        subprocess.run([*command, *(name for name, _ in needed), "ziglang"], check=True)
    return folder


@pytest.fixture(scope="module", params=PYTHONS)
def system(request: pytest.FixtureRequest) -> DebianSystem:
    return debian_system(request.param, ARCHITECTURES[PROCESSOR])


def typed(system: DebianSystem, wheel: Path, wheelhouse: Path, more: str) -> str:
    script = INSTALL.format(user=USER, wheel=wheel.name, more=more)
    return system.run(script, {wheel.parent: "/packages", wheelhouse: "/wheelhouse"}, timeout_s=1800)


def test_it_is_small_and_has_a_kernel_that_needs_no_library(wheel: Path, tmp_path: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        [kernel] = [name for name in archive.namelist() if re.search(r"/build/kernel/\w+/linux$", name)]
        archive.extract(kernel, tmp_path)
    said = subprocess.run(["ldd", str(tmp_path / kernel)], capture_output=True, text=True, check=False)
    assert "not a dynamic executable" in said.stdout + said.stderr


def test_a_run_has_the_published_digits(system: DebianSystem, wheel: Path, wheelhouse: Path) -> None:
    printed = typed(system, wheel, wheelhouse, "env/bin/testbed run")
    for scheme, checksum in published().items():
        assert f"{scheme} {checksum}" in printed


def test_what_students_and_readers_do(system: DebianSystem, wheel: Path, wheelhouse: Path) -> None:
    more = """
    env/bin/testbed lab 1 --into my-labs && env/bin/testbed lab 1 SOLUTION=1
    env/bin/testbed run SCHEMES=reno QUICK=1 && env/bin/testbed export OUT=run.html && test -s run.html
    env/bin/testbed new mine && env/bin/testbed check mine
    env/bin/testbed init work && cd work && ../env/bin/testbed labs
    """
    printed = typed(system, wheel, wheelhouse, more)
    assert "labs/01-forwarding/README.md" in printed


TEACHERS_AND_RESEARCHERS = """
env/bin/pip install --quiet --no-index --find-links /wheelhouse ziglang
for lab in 1 3 7; do env/bin/testbed lab $lab --into my-labs; env/bin/testbed lab $lab SOLUTION=1; done
mkdir -p hand-ins/anna
cp -r my-labs/01-forwarding hand-ins/anna
env/bin/testbed grade hand-ins --lab 1 --out grades
test -s grades/grades.csv
env/bin/testbed reproduce bic-cubic QUICK=1
test -s results/reproduce/bic-cubic-quick/report.html
env/bin/testbed run SCHEMES=reno QUICK=1
env/bin/testbed replay --listen 127.0.0.1:8765 > replay.log 2>&1 & replay=$!
env/bin/python -c "
import time, urllib.request
for _ in range(100):
    try:
        page = urllib.request.urlopen(\\"http://127.0.0.1:8765/\\").read()
        break
    except OSError:
        time.sleep(0.2)
print(\\"replayed\\", len(page))"
kill $replay
"""


def test_what_teachers_and_researchers_do(wheel: Path, wheelhouse: Path) -> None:
    system = debian_system("bookworm", ARCHITECTURES[PROCESSOR], ("python3-venv", "bubblewrap"))
    printed = typed(system, wheel, wheelhouse, TEACHERS_AND_RESEARCHERS)
    assert printed.count("20 of 20") >= 3
    assert "replayed" in printed


PYTHON_ALONE = """
cd {root} && mkdir -p proc dev site home && chown {user} home
mount -t proc none proc && mount --rbind /dev dev && mount --bind {site} site
exec env -i HOME=/home PYTHONPATH=/site LANG=C.UTF-8 /usr/sbin/chroot --userspec={user}:{user} . /usr/bin/python3.11 -c "{program}"
"""
PROGRAM = "import os, runpy, sys; os.chdir('/home'); sys.argv = ['testbed', 'run', 'SCHEMES=reno']; "
PROGRAM += "runpy.run_module('nodectl_testbed', run_name='__main__')"


def test_python_and_its_libraries_suffice(wheel: Path, wheelhouse: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shell, no other program; libstdc++ is NumPy's."""
    root, site = tmp_path / "root", tmp_path / "site"
    for folder in (*tmp_path.parents, tmp_path):
        if folder.is_relative_to(tmp_path.parents[1]):
            folder.chmod(0o755)  # for the ordinary user
    try:
        debian_root.make(root, [ARCHITECTURES[PROCESSOR]], ["python3", "libstdc++6"], release="bookworm", variant="extract")
    except debian_root.NoRootError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheelhouse))
    install([str(wheel)], site, PYTHONS["bookworm"])
    script = PYTHON_ALONE.format(root=root, site=site, user=USER, program=PROGRAM)
    command = ["unshare", "--mount", "--pid", "--net", "--fork", "sh", "-ec", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"reno {published()['reno']}" in done.stdout
