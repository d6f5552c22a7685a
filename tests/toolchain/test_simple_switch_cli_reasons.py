"""`simple_switch_CLI` says beneath BMv2's line why a command was refused, where BMv2's name of the reason does not."""

from __future__ import annotations

from pathlib import Path

from tests.harness.commanded_switch import CommandedSwitch as Switch
from tests.toolchain.test_simple_switch_cli import program, switch

__all__ = ["program", "switch"]


def test_reasons_of_tables(switch: Switch) -> None:
    answers = switch.cli(
        "table_add balance drop 0x800 =>",
        "table_set_default balance drop",
        "table_indirect_set_default ipv4_lpm 0",
        "table_indirect_set_default balance 7",
        "table_dump_entry_from_key ipv4_lpm 10.0.0.0/8",
    )
    wrong = "Invalid table operation (WRONG_TABLE_TYPE)\n"
    assert answers[0].endswith(wrong + "table MyIngress.balance: its entries take members of its action profile, not actions\n")
    assert answers[1].endswith(wrong + "table MyIngress.balance: it has an action profile; see table_indirect_…\n")
    assert answers[2] == "Error: Cannot run this command on non-indirect table\n", "the command line's own check, in BMv2's words"
    assert answers[3] == "Invalid table operation (INVALID_MBR_HANDLE)\n", "that says it all"
    assert answers[4] == "Invalid table operation (BAD_MATCH_KEY)\nthis entry of table MyIngress.ipv4_lpm does not exist\n"


def test_reasons_of_multicast_nodes(switch: Switch) -> None:
    answers = switch.cli(
        "mc_mgrp_create 1",
        "mc_node_create 0 1",
        "mc_node_dissociate 1 0",
        "mc_node_associate 1 0",
        "mc_node_associate 1 0",
    )
    refused = "Invalid PRE operation (ERROR)\n"
    assert answers[2].endswith(refused + "node 0 is not associated with multicast group 1\n")
    assert answers[4].endswith(refused + "node 0 is associated with multicast group 1 already\n")


def test_a_default_by_member_comes_and_goes(switch: Switch, program: Path) -> None:
    assert program.exists()
    answers = switch.cli(
        "act_prof_create_member choice forward 3 1",
        "table_indirect_set_default balance 0",
        "table_dump balance",
        "table_indirect_reset_default balance",
        "table_dump balance",
    )
    assert answers[1] == ""
    assert answers[2].endswith("Dumping default entry\nIndex: member(0)\n==========\n")
    assert answers[4].endswith("Dumping default entry\nAction entry: NoAction - \n==========\n"), answers[4]
