"""docs/own-program.md, followed: its files saved, its commands typed, its examples read. Its runs are in tests/virtual_time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from finsy.proto import p4i
from google.protobuf import text_format

from controller.entries.reading import read_commands, read_updates
from controller.pipeline import load_pipeline, table_entries
from engine.plan.prepare_data_plane import prepare_data_plane
from scenario.data_plane import OwnController, SwitchProgram
from scenario.network_description import SwitchDescription
from scenario.scenario import Scenario
from tests.harness.checkout_page import save, type_commands
from tests.harness.console import CONSOLE
from tests.harness.pages import BLOCK, Page
from tests.harness.scenario_file import load_scenario
from topo.toolchain import Toolchain

PAGE = Page("own-program.md")
STEPS = ["1. The program", "2. A packet test", "3. A network and its entries", "4. A look by hand", "5. A measured run"]
IN_VIRTUAL_TIME = STEPS[3:]
INGRESS = "    apply {\n        ipv4_lpm.apply();"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    save(PAGE.blocks(), tmp_path)
    return tmp_path / "mine"


@pytest.fixture
def compiled(mine: Path) -> tuple[Path, Path]:
    return Toolchain().compile((), mine / "mine.p4")


def test_the_steps_one_after_the_other(tmp_path: Path) -> None:
    assert PAGE.headings()[: len(STEPS)] == STEPS
    for section in PAGE.headings():
        save(PAGE.blocks(section=section), tmp_path)
        if section not in IN_VIRTUAL_TIME:
            type_commands(PAGE.blocks(CONSOLE, section=section), tmp_path)


def test_the_formats_say_the_same(mine: Path, compiled: tuple[Path, Path]) -> None:
    info = text_format.Parse(compiled[1].read_text(), p4i.P4Info())

    def updates(name: str) -> list[bytes]:
        return sorted(one.update.SerializeToString(deterministic=True) for one in read_updates(mine / name, info, "mine.p4"))

    assert updates("s1.toml") == updates("s1.json") == updates("s1.txtpb")
    assert len(updates("s1.toml")) == len(read_commands(mine / "s1.txt")) == 4


def test_a_switch_takes_the_commands(mine: Path, compiled: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from common.installation import BINARIES, PROJECT

    monkeypatch.syspath_prepend(str(PROJECT / "switch" / "packages"))
    monkeypatch.setenv("NODECTL_P4_BINARIES", str(BINARIES))
    import nodectl_p4

    with nodectl_p4.Switch(str(compiled[0])) as switch:
        said = [switch.cli(line) for _, line in read_commands(mine / "s1.txt")]
        assert not [words for words in said if "Error" in words or "Invalid" in words]
        assert [row["action"] for row in switch.show("table", "ipv4_lpm")] == [
            "MyIngress.forward(port=1)", "MyIngress.forward(port=2)", "MyIngress.drop()"
        ]  # fmt: skip
        assert len(switch.show("table", "refused")) == 2


@pytest.mark.parametrize("name", ["controlled", "beside", "alone", "routed"])
def test_the_other_scenarios_can_be_prepared(name: str, mine: Path) -> None:
    plane = prepare_data_plane(load_scenario(mine / f"{name}.toml"), Toolchain()).plane
    assert [switch.routes for switch in plane.switches.values()] == [name in ("controlled", "routed")] * 2
    assert (plane.controller is not None) == (name != "routed")


def test_the_tables_that_the_testbed_fills(mine: Path) -> None:
    program, tables = (mine / "mine.p4").read_text(), (mine.parent / "tables.p4").read_text()
    assert INGRESS in program
    (mine / "filled.p4").write_text(program.replace(INGRESS, f"{tables}{INGRESS} port_capacity.apply(); host_port.apply();"))
    compiled, p4info = Toolchain().compile((), mine / "filled.p4")
    switch = SwitchDescription.model_validate(
        {
            "name": "s1", "device_id": 1, "grpc_addr": "127.0.0.1:50051", "host_ports": [1],
            "ports": [{"port": 2, "capacity_bps": 20_000_000}],
            "routes": [{"prefix": "10.0.2.0/24", "port": 2, "source_mac": "02:00:00:00:00:01", "destination_mac": "02:00:00:00:00:02"}],
        }
    )  # fmt: skip
    assert len(table_entries(load_pipeline(p4info, compiled), switch)) == 3


def test_every_key_is_on_the_page() -> None:
    table = PAGE.section("The keys of a scenario")
    keys = {"p4", "p4_defines", "testbed_routes", "controller"}
    assert keys <= set(Scenario.model_fields)
    keys |= {f"switches.NAME.{key}" for key in SwitchProgram.model_fields} | {f"controller.{key}" for key in OwnController.model_fields}
    assert {key for key in keys if f"`{key}`" not in table} == set()


def test_nothing_is_left_out() -> None:
    assert {block.language for block in PAGE.blocks() if not block.file} == {CONSOLE}
    assert "```" not in BLOCK.sub("", PAGE.text)
    assert all(re.search(rf"```\S+ {re.escape(block.file)}\n", PAGE.text) for block in PAGE.blocks() if block.file)
