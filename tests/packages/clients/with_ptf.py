"""ptf beside the package: ptf sends a frame into one interface of the switch and wants it from the other.

Run it in a network namespace in which `in`, `ins` and `out`, `outs` are pairs of interfaces.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

import nodectl_p4

TESTS = """
import ptf
from ptf.base_tests import BaseTest
from ptf.testutils import send_packet, verify_packet


class Forwarded(BaseTest):
    def setUp(self):
        self.dataplane = ptf.dataplane_instance
        self.dataplane.flush()

    def runTest(self):
        frame = bytes.fromhex("0711") + bytes(58)
        send_packet(self, (0, 1), frame)
        verify_packet(self, frame, (0, 2))
"""


def main() -> None:
    """Compile, run, have it tested."""
    folder = pathlib.Path("ptf-tests")
    folder.mkdir(exist_ok=True)
    (folder / "forwarding.py").write_text(TESTS)
    program = nodectl_p4.compile("one.p4")
    with nodectl_p4.Switch(program, {1: "ins", 2: "outs"}) as switch:
        switch.cli("table_add go forward 7 => 2")
        ptf = pathlib.Path(sys.executable).with_name("ptf")
        interfaces = ["--interface", "0-1@in", "--interface", "0-2@out"]
        subprocess.run([ptf, "--test-dir", folder, *interfaces], check=True)


if __name__ == "__main__":
    main()
