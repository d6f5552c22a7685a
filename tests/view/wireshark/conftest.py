"""tshark with the dissector, installed as `make wireshark` does it, in a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from scapy.packet import Packet
from scapy.utils import PcapNgWriter, wrpcap

from tests.harness.switches import REPOSITORY
from topo.frame_capture import CONTROLLER_LINK_TYPE

Layers = dict[str, Any]
NOT_AS_ROOT = ("unshare", "--user", "--map-user=1000") if os.geteuid() == 0 else ()
"""Since version 4.4, Wireshark reads no plugins of root's. Files are root's all the same."""


@dataclass(frozen=True)
class Tshark:
    """Debian's tshark.

    Args:
        home: where its settings and plugins are.
    """

    home: Path

    def run(self, *arguments: str | Path) -> str:
        """Run it and return its output."""
        done = subprocess.run(
            [*NOT_AS_ROOT, "tshark", *map(str, arguments)],
            env=os.environ | {"HOME": str(self.home)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Lua" not in done.stderr, done.stderr
        return done.stdout

    def read(self, capture: Path, *arguments: str) -> list[Layers]:
        """The layers of each frame of a capture."""
        packets = json.loads(self.run("-r", capture, "-T", "json", "--no-duplicate-keys", *arguments))
        return [packet["_source"]["layers"] for packet in packets]

    def dissect(self, packets: Sequence[Packet], *arguments: str) -> list[Layers]:
        """The layers of each of some Ethernet frames."""
        file = self.home / "packets.pcap"
        wrpcap(str(file), list(packets))
        return self.read(file, *arguments)

    def dissect_control(self, headers: Sequence[bytes]) -> list[Layers]:
        """The layers of messages between switch and controller."""
        file = self.home / "control.pcapng"
        with PcapNgWriter(str(file)) as writer:
            writer.linktype = CONTROLLER_LINK_TYPE
            for one in headers:
                writer.write(one)
        return self.read(file)


def number(shown: Any) -> int:
    """The value of tshark's text for a number, a truth value or an address."""
    if shown in ("True", "False"):
        return int(shown == "True")
    return int(IPv4Address(shown)) if shown.count(".") == 3 else int(shown, 0)


def numbers(layer: Layers, prefix: str) -> dict[str, int]:
    """The numbers of a layer's fields, by their names without the prefix."""
    shown = {name.removeprefix(prefix + "."): value for name, value in layer.items() if name.startswith(prefix + ".")}
    return {name: number(value) for name, value in shown.items() if isinstance(value, str) and name != "verdict_name"}


@pytest.fixture(scope="session")
def tshark(tmp_path_factory: pytest.TempPathFactory) -> Tshark:
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    home = tmp_path_factory.mktemp("home")
    command = [*NOT_AS_ROOT, sys.executable, "-m", "view.wireshark"]
    environment = os.environ | {"HOME": str(home)}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(home) in done.stdout
    return Tshark(home)
