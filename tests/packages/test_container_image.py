"""The image of a container: an OCI layout, and a run in it under podman's seccomp rules, with its small /dev/shm and no capability."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from testbed.packaging.container_image import HOME, TAG, USER
from tests.harness.long_tests import only_long
from tests.packages.made_packages import made
from tests.packages.published_digits import published

SECCOMP_FILTER = "Seccomp:\t2"

pytestmark = [only_long, pytest.mark.timeout(3000)]


@pytest.fixture(scope="module")
def image() -> Path:
    return made("image", "x86_64")


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """podman's runroot has 50 characters at most."""
    with tempfile.TemporaryDirectory(prefix="run-", dir="/tmp") as folder:
        yield Path(folder)


def blob(image: Path, digest: str) -> dict[str, object]:
    content = json.loads((image / "blobs" / digest.replace(":", "/")).read_text())
    assert isinstance(content, dict)
    return content


def test_it_is_a_layout_with_an_ordinary_user(image: Path) -> None:
    (entry,) = json.loads((image / "index.json").read_text())["manifests"]
    assert entry["annotations"]["org.opencontainers.image.ref.name"] == TAG
    manifest = blob(image, entry["digest"])
    config = manifest["config"]
    assert isinstance(config, dict)
    settings = blob(image, config["digest"])["config"]
    assert isinstance(settings, dict)
    assert (settings["User"], settings["WorkingDir"]) == (USER, HOME)


def test_a_run_in_a_container_has_the_published_digits(image: Path, tmp_path: Path, short_folder: Path) -> None:
    if missing := [name for name in ("podman", "runc") if shutil.which(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)} (apt-get install podman runc)")
    most_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    command = ["podman", "--root", str(tmp_path / "root"), "--runroot", str(short_folder), "--storage-driver", "vfs"]
    command += ["--cgroup-manager", "cgroupfs", "--runtime", str(shutil.which("runc")), "run", "--rm", "--network", "none"]
    command += ["--ulimit", f"nofile={most_files}:{most_files}", "--ulimit", "nproc=4096:4096", f"oci:{image}:{TAG}"]
    script = "grep Seccomp: /proc/self/status; testbed run SCHEMES=reno"
    done = subprocess.run([*command, "sh", "-c", script], capture_output=True, text=True, check=False, timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert SECCOMP_FILTER in done.stdout
    assert f"reno {published()['reno']}" in done.stdout
