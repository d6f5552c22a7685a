"""The wheel's own file in an emulated machine: nothing is installed but QEMU, and the digits are the published ones."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from testbed.emulated.guest import QEMU
from tests.harness.long_tests import only_long
from tests.packages.made_packages import made
from tests.packages.published_digits import published

KERNEL = "linux-image-cloud-amd64"
MOST_S = 3600

pytestmark = [only_long, pytest.mark.timeout(2 * MOST_S)]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Debian's package of a kernel for virtual machines."""
    if shutil.which(QEMU) is None:
        pytest.skip(f"{QEMU} is not installed (apt-get install qemu-system-x86)")
    folder = tmp_path_factory.mktemp("kernel")
    folder.chmod(0o777)  # apt gets files as a user of its own
    depends = subprocess.run(["apt-cache", "depends", KERNEL], capture_output=True, text=True, check=False).stdout
    names = [line.split()[-1] for line in depends.splitlines() if "Depends: linux-image" in line]
    if not names or subprocess.run(["apt-get", "download", "--quiet", names[0]], cwd=folder, check=False).returncode != 0:
        pytest.skip(f"apt does not get {KERNEL}")
    return next(folder.glob("*.deb"))


def test_a_scheme_has_the_published_digits_there(kernel: Path, tmp_path: Path) -> None:
    wheel = made("wheel-testbed", "x86_64")
    words = ["run", "SCHEMES=reno", "--emulate", "--emulate-kernel", str(kernel)]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(wheel)}
    done = subprocess.run(
        [sys.executable, "-m", "nodectl_testbed", *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"reno {published()['reno']}" in done.stdout
    assert list((tmp_path / "results").rglob("*.png")), "the picture of the run"
