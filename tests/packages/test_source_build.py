"""A fresh clone on the other of the two supported Debian releases, built from nothing: it passes all tests, and has the published table.

Its samples have other checksums, since its Python is another (docs/install.md).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from switch.packages.debian_root import ARCHITECTURES
from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY
from tests.packages.debian_system import debian_system
from tests.packages.published_digits import printed_rows, published_rows

RELEASES = {"bookworm": "trixie", "trixie": "bookworm"}
BARE = ("ca-certificates", "git", "make")
REGISTRIES = ("/etc/resolv.conf", "/etc/ssl/certs", "/etc/pip.conf", "~/.npmrc", "~/.cargo/config.toml")
"""Files that say how this machine reaches the network."""

MOST_S = 3 * 3600

pytestmark = [only_long, pytest.mark.timeout(MOST_S)]


def other_release() -> str:
    text = Path("/etc/os-release").read_text()
    own = next((line.partition("=")[2] for line in text.splitlines() if line.startswith("VERSION_CODENAME=")), "")
    if own not in RELEASES:
        pytest.skip(f"this machine is neither {' nor '.join(RELEASES)}")
    return RELEASES[own]


def test_a_clone_is_built_and_tested_there(tmp_path: Path) -> None:
    clone = tmp_path / "testbed"
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(clone)], check=True)
    bound = {clone: "/root/testbed"}
    bound |= {file: name.replace("~", "/root") for name in REGISTRIES if (file := Path(name).expanduser()).exists()}
    script = "cd /root/testbed && make run 2>&1 && make test 2>&1"
    printed = debian_system(other_release(), ARCHITECTURES["x86_64"], BARE).run(script, bound, timeout_s=MOST_S, with_network=True)
    assert printed_rows(printed) == published_rows()
