"""The first steps of someone who has just installed the package, with Python's own library alone.

The script compiles, runs the switch on two pairs of interfaces (if their names are given), sends a frame through it, and runs a packet
test. It prints the seconds of each as JSON.
"""

from __future__ import annotations

import json
import pathlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import nodectl_p4
from nodectl_p4.binaries import binary

ETH_P_ALL = 3
FRAME = bytes.fromhex("0711") + bytes(58)
PATIENCE_S = 60

Result = TypeVar("Result")


def through_the_switch(program: nodectl_p4.Program, interfaces: Sequence[str]) -> None:
    """Send a frame into the first interface; it comes out of the second."""
    with nodectl_p4.Switch(program, {1: f"{interfaces[0]}s", 2: f"{interfaces[1]}s"}) as switch:
        switch.cli("table_add go forward 7 => 2")
        first, second = (socket.socket(socket.AF_PACKET, socket.SOCK_RAW) for _ in range(2))
        with first, second:
            first.bind((interfaces[0], ETH_P_ALL))
            second.bind((interfaces[1], ETH_P_ALL))
            second.settimeout(PATIENCE_S)
            first.send(FRAME)
            while second.recv(2000) != FRAME:
                pass  # frames of the kernel to its neighbours
        assert switch.show("table", "go")[0]["h.h.x"] == "7"


def without_interfaces(program: nodectl_p4.Program) -> None:
    """A switch that only its control plane reaches."""
    with nodectl_p4.Switch(program) as switch:
        assert "Entry has been added" in switch.cli("table_add go forward 7 => 2")


def main() -> None:
    """Do it all."""
    interfaces = sys.argv[1:]
    seconds: dict[str, float] = {}

    def timed(name: str, action: Callable[[], Result]) -> Result:
        began = time.monotonic()
        result = action()
        seconds[name] = round(time.monotonic() - began, 2)
        return result

    version = subprocess.run([str(binary("p4c")), "--version"], check=True, stdout=subprocess.PIPE).stdout
    assert b"Nodectl" in version
    program = timed("compile", lambda: nodectl_p4.compile("one.p4"))
    assert program.p4info.table("go").size == 16
    assert (nodectl_p4.P4INCLUDE / "v1model.p4").is_file()
    if interfaces:
        timed("switch", lambda: through_the_switch(program, interfaces))
    else:
        timed("switch", lambda: without_interfaces(program))
    timed("test", lambda: subprocess.run([str(binary("p4test")), "--quiet", "one.p4", "one.stf"], check=True))
    wrong = pathlib.Path("one.stf").read_text().replace("expect 2 0711", "expect 2 0712")
    pathlib.Path("other.stf").write_text("# program: one.p4\n" + wrong)
    failed = subprocess.run([str(binary("p4test")), "one.p4", "other.stf"], check=False, stderr=subprocess.DEVNULL)
    assert failed.returncode == 1
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
