"""Runs inside a kernel: brings its part of the network up, and transfers."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.studies.several_kernels import network as networks
from bench.studies.several_kernels.network import Network
from common.command_end import end_with
from common.command_line import run_command
from common.errors import UserError
from common.installation import BINARIES

NAMESPACES = Path("/run/netns")
DRAIN_S = 0.1
SWITCH_READY_S = 1.0
"""Virtual time that the switch is given; it takes next to none."""


def bring_up_and_transfer(folder: Path, out: Path) -> int:
    """Do it; leave the counters of links and the bytes of each transfer in ``out``.

    Raises:
        UserError: something could not be made, or took too long.
    """
    network = Network.model_validate_json((folder / "network.json").read_text())
    for host in network.all_hosts():
        if host[0] in network.sides:
            _ip(f"netns add {networks.name(host)}")
            _ip(*networks.host_commands(network, host), options=("-n", networks.name(host)))
    description = out / "switches.json"
    description.write_text(json.dumps(networks.switch_file(network, folder, NAMESPACES, out / "ports.csv"), indent=1))
    with ExitStack() as ends:
        switch = ends.enter_context(subprocess.Popen([BINARIES / "p4switch", "run", str(description)]))
        ends.callback(switch.terminate)
        time.sleep(SWITCH_READY_S)
        if switch.poll() is not None:
            raise UserError(f"the switch ended with exit code {switch.returncode}")
        transfers = list(_begin(network, out))
        if time.monotonic() >= networks.STARTS_S:
            raise UserError(f"the network was up after {time.monotonic():.1f} s, too late for a start at {networks.STARTS_S:g} s")
        for one in transfers:
            if one.wait() != 0:
                raise UserError(f"a transfer ended with exit code {one.returncode}")
        time.sleep(max(network.ends_s + DRAIN_S - time.monotonic(), 0))
    return 0


def _begin(network: Network, out: Path) -> list[subprocess.Popen[bytes]]:
    started = []
    for sender, receiver in network.transfers():
        if receiver[0] in network.sides:
            file = out / f"{networks.name(sender)}-{networks.name(receiver)}.txt"
            started.append(_on(receiver, "receive", str(file), str(network.ends_s)))
    for sender, receiver in network.transfers():
        if sender[0] in network.sides:
            started.append(_on(sender, "send", networks.address(receiver), str(networks.STARTS_S), str(network.ends_s)))
    return started


def _ip(*lines: str, options: Sequence[str] = ()) -> None:
    made = subprocess.run(["ip", *options, "-batch", "-"], input="\n".join(lines), text=True, capture_output=True, check=False)
    if made.returncode != 0:
        raise UserError(f"a host could not be made: {made.stderr.strip()}")


def _on(host: tuple[int, int], *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["ip", "netns", "exec", networks.name(host), sys.executable, "-m", "bench.studies.several_kernels.transfer", *arguments]
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.studies.several_kernels.inside", description=__doc__)
    parser.add_argument("folder", type=Path, help="has network.json, and s1.json and s2.json as far as they are here")
    parser.add_argument("out", type=Path, help="gets the results")
    options = parser.parse_args()
    return run_command(lambda: bring_up_and_transfer(options.folder, options.out), "interrupted")


if __name__ == "__main__":
    end_with(main)
