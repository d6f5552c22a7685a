"""Waiting for interfaces of a network namespace: those that are down send nothing, those that are up do."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from common.errors import UserError
from tests.harness.waiting import LIMIT_S
from topo import sending_interfaces
from topo.sending_interfaces import wait_until_sending

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="namespaces need root and unshare: NOT tested")
NUMBER = 250
"""More than Linux lets begin in a second."""


@pytest.fixture
def namespace() -> Iterator[int]:
    """A process in a namespace with NUMBER pairs of interfaces; ``first`` is another one, which is down."""
    pairs = "".join(f"link add a{number} type veth peer name b{number}\n" for number in range(NUMBER))
    up = "".join(f"link set {side}{number} up\n" for side in "ab" for number in range(NUMBER))
    commands = f"link add first type veth peer name last\n{pairs}{up}"
    script = 'printf "%s" "$1" | ip -batch - || exit 1; echo made; exec sleep 120'
    with subprocess.Popen(["unshare", "--net", "sh", "-c", script, "sh", commands], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "made\n"
        yield process.pid
        process.kill()


def test_many_that_come_up_at_one_time(namespace: int) -> None:
    names = [f"{side}{number}" for side in "ab" for number in range(NUMBER)]
    wait_until_sending({namespace: names})
    shown = subprocess.run(
        ["nsenter", "--net", f"--target={namespace}", "ip", "link", "show", "up"],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT_S,
    )
    assert shown.stdout.count("state UP") == 2 * NUMBER


def test_one_that_stays_down(namespace: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending_interfaces, "PATIENCE_S", 0.1)
    with pytest.raises(UserError, match="interface first does not send yet"):
        wait_until_sending({namespace: ["a0", "first"]})


def test_a_host_that_has_gone() -> None:
    with pytest.raises(UserError, match="interfaces cannot be looked at: No such file"):
        wait_until_sending({2**22 + 1: ["x"]})
