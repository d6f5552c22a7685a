"""The state of programs, recorded by `p4switch run` beside its samples: whole when it has changed, and no more than a person can read."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench.interfaces import interfaces
from bench.tools import PROJECT, RELEASE
from tests.harness.waiting import wait_for
from tests.toolchain.test_running_switch import send_frames
from topo.management import ManagementClient

ROUTES, ROUTES_6 = "RouterIngress.ipv4_routes", "RouterIngress.ipv6_routes"
MOST_ENTRIES = 25
EVERY_MS = 3_600_000
"""Longer than the test: lines come when they are asked for."""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="veth interfaces need root")


@dataclass
class Recorded:
    client: ManagementClient
    file: Path
    outside: str
    _read: int = 0

    def cli(self, line: str) -> None:
        printed = str(self.client.request("cli", switch="s1", line=line)["printed"])
        assert "Invalid" not in printed, printed
        assert "Error" not in printed, printed

    def lines(self) -> list[dict[str, Any]]:
        """The new lines, with all changes up to now."""
        self.client.request("sample")
        new = self.file.read_text().splitlines()[self._read :]
        self._read += len(new)
        return [json.loads(line) for line in new]

    def told(self, table: str) -> dict[str, Any]:
        """The entry of a table in the new lines; empty: there is none."""
        return next((one for line in self.lines() for one in line.get("tables", []) if one["name"] == table), {})


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    folder = tmp_path_factory.mktemp("recorded")
    program = folder / "router.json"
    subprocess.run([RELEASE / "p4c-bm2-ss", "-o", program, PROJECT / "bench" / "programs" / "router.p4"], check=True)
    with interfaces() as (outside_in, inside_in, inside_out, _):
        ports = [{"port": 1, "interface": inside_in}, {"port": 2, "interface": inside_out}]
        description = {
            "switches": [{"name": "s1", "device_id": 1, "program": str(program), "ports": ports}],
            "management_socket": str(folder / "switch.sock"),
            "samples": {"state": {"file": str(folder / "state.jsonl"), "interval_ms": EVERY_MS}},
        }
        (folder / "network.json").write_text(json.dumps(description))
        switch = subprocess.Popen([RELEASE / "p4switch", "run", folder / "network.json"])
        try:
            wait_for("the management socket", (folder / "switch.sock").exists)
            client = ManagementClient(folder / "switch.sock")
            yield Recorded(client, folder / "state.jsonl", outside_in)
            client.close()
        finally:
            switch.terminate()
            switch.wait(10)


def test_a_program_is_told_once_and_then_what_changes(recorded: Recorded) -> None:
    (first,) = recorded.lines()
    assert first["switch"] == "s1"
    declared = {one["name"]: one for one in first["program"]["tables"]}
    assert [(key["kind"], key["bits"]) for key in declared[ROUTES]["keys"]] == [("lpm", 32)]
    assert not any(name.startswith("tbl_") for name in declared), "what compilers make up is nobody's table"
    assert recorded.lines() == [], "nothing has changed"
    send_frames(recorded.outside)
    table = wait_for("hits", lambda: recorded.told(ROUTES))
    assert table["hits"] > 0
    assert "described" not in table, "the entries are the same"
    assert table["shown"] == sorted(table["shown"], key=lambda one: (-one[1], one[0])), "most hits first"


def test_of_many_entries_some_are_told(recorded: Recorded) -> None:
    wait_for("the frames before", lambda: recorded.lines() == [])
    for number in range(40):
        recorded.cli(f"table_add {ROUTES_6} RouterIngress.drop 2001:db8:{number}::/48 =>")
    table = recorded.told(ROUTES_6)
    assert table["entries"] == 40
    assert len(table["shown"]) == MOST_ENTRIES
    assert [one["id"] for one in table["described"]] == list(range(1, MOST_ENTRIES + 1)), "the first that were added"
    recorded.cli(f"table_set_default {ROUTES_6} RouterIngress.drop")
    table = recorded.told(ROUTES_6)
    assert table["misses"] == 0
    assert table["default"] == "RouterIngress.drop()"
    recorded.cli(f"table_clear {ROUTES_6}")
    assert recorded.told(ROUTES_6)["shown"] == []
