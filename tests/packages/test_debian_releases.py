"""The packages in empty systems of Debian's releases, for both processors."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from switch.packages.debian_root import ARCHITECTURES
from tests.harness.long_tests import only_long
from tests.packages import sample
from tests.packages.debian_system import NAMES_OF_PROCESSORS, debian_system
from tests.packages.made_packages import made

RELEASES = ("bullseye", "bookworm", "trixie")
"""All that Debian's archive still has and newer; the first has the oldest C library (2.31)."""
INSIDE = Path(__file__).with_name("inside.py")
SECONDS = 30.0
"""For all of it, on the processor itself."""
FROM_WHEEL = """
python3 -m venv /tmp/environment
/tmp/environment/bin/pip install --quiet --no-index --disable-pip-version-check /packages/{package}
cd /work && exec /tmp/environment/bin/python inside.py {interfaces}
"""
FROM_DEBIAN_PACKAGE = """
dpkg --install /packages/{package} >/dev/null
cd /work && python3 inside.py {interfaces}
test -s /usr/share/man/man1/p4c.1.gz
dpkg --purge {name} >/dev/null && ! command -v p4c
"""

pytestmark = [only_long, pytest.mark.timeout(3000)]


def use(script: str, package: Path, release: str, architecture: str, folder: Path, interfaces: tuple[str, ...]) -> tuple[float, str]:
    """Run a script that installs and uses a package; return its seconds and its output."""
    system = debian_system(release, architecture)
    sample.write(folder)
    (folder / INSIDE.name).write_text(INSIDE.read_text())
    began = time.monotonic()
    words = script.format(package=package.name, interfaces=" ".join(interfaces), name="nodectl-p4")
    printed = system.run(words, {package.parent: "/packages", folder: "/work"}, interfaces=interfaces)
    return time.monotonic() - began, printed


@pytest.mark.parametrize("release", RELEASES)
def test_the_wheel_on_this_processor(release: str, tmp_path: Path) -> None:
    own = os.uname().machine
    seconds, printed = use(FROM_WHEEL, made("wheel", own), release, ARCHITECTURES[own], tmp_path, ("in", "out"))
    assert set(json.loads(printed)) == {"compile", "switch", "test"}
    assert seconds < SECONDS, printed


@pytest.mark.parametrize("release", RELEASES)
def test_the_wheel_on_the_other_processor(release: str, tmp_path: Path) -> None:
    """In emulation, which has no interfaces for a switch: it is reached by its control plane alone."""
    [other] = set(ARCHITECTURES.values()) - {ARCHITECTURES[os.uname().machine]}
    _, printed = use(FROM_WHEEL, made("wheel", NAMES_OF_PROCESSORS[other]), release, other, tmp_path, ())
    assert set(json.loads(printed)) == {"compile", "switch", "test"}


@pytest.mark.parametrize("release", RELEASES)
def test_the_debian_package(release: str, tmp_path: Path) -> None:
    own = os.uname().machine
    _, printed = use(FROM_DEBIAN_PACKAGE, made("deb", own), release, ARCHITECTURES[own], tmp_path, ("in", "out"))
    assert set(json.loads(printed)) == {"compile", "switch", "test"}
