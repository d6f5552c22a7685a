"""P4Runtime clients and test frameworks of others, from PyPI, in one environment with the wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY
from tests.packages import sample
from tests.packages.environments import alone, environment_with

CLIENTS = Path(__file__).with_name("clients")
INTERFACES = " && ".join(
    f"ip link add {name} type veth peer name {name}s && ip link set {name} up && ip link set {name}s up" for name in ("in", "out")
)
"""In a network namespace of the test's own."""


def pinned(client: str) -> list[str]:
    """pip's arguments that install a client beside the wheel."""
    if client == "finsy":
        return ["--constraint", str(REPOSITORY / "requirements.lock"), "finsy"]
    if client == "p4runtime_shell":
        return ["--requirement", str(REPOSITORY / "tests" / "p4runtime" / "clients" / "shell.txt")]
    return ["--requirement", str(CLIENTS / "ptf.txt")]


@only_long
@pytest.mark.parametrize("client", ["finsy", "p4runtime_shell", "ptf"])
def test_it_works_with(client: str, quick_wheel: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("not root")
    folder = tmp_path / "work"
    sample.write(folder)
    shutil.copy(CLIENTS / f"with_{client}.py", folder / "script.py")
    try:
        programs = environment_with(Path(sys.executable), tmp_path / "environment", str(quick_wheel), *pinned(client))
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the clients are not installed: {client} cannot be installed here ({error})")
    script = f"ip link set lo up && {INTERFACES} && exec {programs / 'python'} script.py"
    # The bindings of p4runtime-shell are older than the C implementation of protobuf allows.
    environment = {**alone(), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    if client != "p4runtime_shell":
        del environment["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"]
    ran = subprocess.run(
        ["unshare", "--net", "sh", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
