"""`simple_switch_CLI` beside a switch with `--thrift-port`: the words and the output of BMv2's command."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.commanded_switch import CommandedSwitch as Switch
from tests.harness.commanded_switch import running
from tests.harness.free_port import free_port
from tests.harness.switches import binaries
from tests.harness.waiting import LIMIT_S, wait_for

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> destination; bit<48> source; bit<16> kind; }
header ipv4_t { bit<8> ttl; bit<32> destination; }
struct headers_t { ethernet_t ethernet; ipv4_t ipv4; }
struct meta_t { bit<16> which; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<16>>(4) kinds;
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.kind) { kinds: more; default: accept; }
    }
    state more { packet.extract(hdr.ipv4); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<48>>(4) seen;
    counter(8, CounterType.packets_and_bytes) ports;
    meter(4, MeterType.packets) speeds;
    action forward(bit<9> port, bit<48> mac) { std.egress_spec = port; hdr.ethernet.destination = mac; }
    action drop() { mark_to_drop(std); }
    action watch() { clone(CloneType.I2E, 5); std.mcast_grp = 7; }
    direct_counter(CounterType.packets) hits;
    table ipv4_lpm {
        key = { hdr.ipv4.destination : lpm; }
        actions = { forward; drop; NoAction; }
        default_action = NoAction();
        size = 2;
    }
    table acl {
        key = { hdr.ethernet.source : ternary; hdr.ethernet.kind : range; }
        actions = { drop; watch; NoAction; }
        counters = hits;
    }
    action_selector(HashAlgorithm.crc16, 8, 16) choice;
    table balance {
        key = { hdr.ethernet.kind : exact; meta.which : selector; }
        actions = { forward; drop; }
        implementation = choice;
    }
    apply {
        bit<2> color;
        seen.write(0, hdr.ethernet.source);
        ports.count((bit<32>) std.ingress_port);
        speeds.execute_meter(0, color);
        ipv4_lpm.apply();
        acl.apply();
        balance.apply();
    }
}
control MyEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), MyIngress(), MyEgress(), C(), D()) main;
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    source, program = tmp_path / "cli.p4", tmp_path / "cli.json"
    source.write_text(PROGRAM)
    subprocess.run([str(binaries() / "p4c-bm2-ss"), "-o", str(program), str(source)], check=True)
    return program


@pytest.fixture
def switch(program: Path) -> Iterator[Switch]:
    with running("simple_switch_grpc", program, "--", "--grpc-server-addr", "127.0.0.1:0") as switch:
        yield switch


def test_entries(switch: Switch) -> None:
    added, again, second, full, dumped, entry = switch.cli(
        "table_add ipv4_lpm forward 10.0.1.0/24 => 3 00:aa:bb:00:00:01",
        "table_add MyIngress.ipv4_lpm drop 10.0.1.0/24 =>",
        "table_add ipv4_lpm MyIngress.drop 0x0a000000/8 =>",
        "table_add ipv4_lpm drop 11.0.0.0/8 =>",
        "table_dump ipv4_lpm",
        "table_dump_entry_from_key ipv4_lpm 10.0.1.0/24",
    )
    assert added == (
        "Adding entry to lpm match table ipv4_lpm\n"
        "match key:           LPM-0a:00:01:00/24\n"
        "action:              forward\n"
        "runtime data:        00:03\t00:aa:bb:00:00:01\n"
        "Entry has been added with handle 0\n"
    )
    assert again.endswith("Invalid table operation (DUPLICATE_ENTRY)\n")
    assert second.endswith("Entry has been added with handle 1\n")
    assert full.endswith("Invalid table operation (TABLE_FULL)\n")
    first_entry = "Dumping entry 0x0\nMatch key:\n* ipv4.destination    : LPM       0a000100/24\n"
    first_entry += "Action entry: MyIngress.forward - 03, aabb000001\n"
    assert dumped == (
        "==========\nTABLE ENTRIES\n**********\n" + first_entry + "**********\nDumping entry 0x1\nMatch key:\n"
        "* ipv4.destination    : LPM       0a000000/8\nAction entry: MyIngress.drop - \n"
        "==========\nDumping default entry\nAction entry: NoAction - \n==========\n"
    )
    assert entry == first_entry
    modified, gone, missing, count, default, reset = switch.cli(
        "table_modify ipv4_lpm forward 1 => 4 1",
        "table_delete ipv4_lpm 0",
        "table_delete ipv4_lpm 0",
        "table_num_entries ipv4_lpm",
        "table_set_default ipv4_lpm forward 2 0xff",
        "table_reset_default ipv4_lpm",
    )
    assert modified == "Modifying entry 1 for lpm match table ipv4_lpm\n"
    assert gone == "Deleting entry 0 from ipv4_lpm\n"
    assert missing == "Deleting entry 0 from ipv4_lpm\nInvalid table operation (INVALID_HANDLE)\n"
    assert (count, reset) == ("1\n", "")
    assert default.startswith("Setting default action of ipv4_lpm\naction:              forward\n")


def test_priorities_and_masks(switch: Switch) -> None:
    added, without, backwards, dumped, counter, written, by_its_name = switch.cli(
        "table_add acl drop 00:00:00:00:00:01&&&0xff 0x800->0x8ff => 10",
        "table_add acl drop 1&&&0xff 1->2 =>",
        "table_add acl drop 1&&&0xff 5->2 => 1",
        "table_dump acl",
        "counter_read acl 0",
        "counter_write hits 0 3 200",
        "counter_read MyIngress.hits 0",
    )
    assert "match key:           TERNARY-00:00:00:00:00:01 &&& 00:00:00:00:00:ff\tRANGE-08:00 -> 08:ff\n" in added
    assert without == "Error: Table is ternary, but could not extract a valid priority from args\n"
    assert backwards == "Invalid match key: start is less than end in expression 5->2\n"
    assert "* ethernet.kind       : RANGE     0800 -> 08ff\nPriority: 10\n" in dumped
    assert counter == "this is the direct counter for table MyIngress.acl\nacl[0]= (0 bytes, 0 packets)\n"
    assert written == "writing to direct counter for table MyIngress.acl\nhits[0] has been updated\n"
    assert by_its_name == "this is the direct counter for table MyIngress.acl\nMyIngress.hits[0]= (200 bytes, 3 packets)\n"


def test_arrays(switch: Switch) -> None:
    answers = switch.cli(
        "register_write seen 2 0x1234",
        "register_read seen 2",
        "register_read MyIngress.seen",
        "register_read seen 9",
        "register_reset seen",
        "register_read seen 2",
        "register_write seen 2 0x1000000000005",
        "register_read seen 2",
        "counter_write ports 3 5 600",
        "counter_read ports 3",
        "counter_reset ports",
        "counter_read ports 3",
        "counter_read nothing 3",
        "meter_set_rates speeds 1 0.001:10 0.002:20",
        "meter_get_rates speeds 1",
        "meter_set_rates speeds 1 0.001:10",
    )
    assert answers == [
        "",
        "seen[2]= 4660\n",
        "MyIngress.seen= 0, 0, 4660, 0\n",
        "Invalid register operation (INVALID_INDEX)\n",
        "",
        "seen[2]= 0\n",
        "",
        "seen[2]= 5\n",
        "ports[3] has been updated\n",
        "ports[3]= (600 bytes, 5 packets)\n",
        "",
        "ports[3]= (0 bytes, 0 packets)\n",
        "Error: Invalid counter name (nothing)\n",
        "",
        "0: info rate = 0.001, burst size = 10\n1: info rate = 0.002, burst size = 20\n",
        "Error: Invalid number of rates, expected 2 but got 1\n",
    ]


def test_multicast_and_mirroring(switch: Switch) -> None:
    answers = switch.cli(
        "mc_mgrp_create 7",
        "mc_node_create 1 1 3",
        "mc_node_create 2 2",
        "mc_node_associate 7 0",
        "mc_node_associate 7 1",
        "mc_dump",
        "mc_node_dissociate 7 1",
        "mc_node_update 0 4",
        "mc_dump",
        "mirroring_add 5 3",
        "mirroring_get 5",
        "mirroring_delete 5",
        "mirroring_delete 5",
        "mc_node_associate 9 1",
        "mc_mgrp_create 7",
        "mc_mgrp_destroy 7",
        "mc_mgrp_destroy 7",
    )
    ends = "==========\nLAGS\n==========\n"
    head = "==========\nMC ENTRIES\n**********\nmgrp(7)\n"
    assert answers == [
        "Creating multicast group 7\n",
        "Creating node with rid 1 , port map 1010 and lag map \nnode was created with handle 0\n",
        "Creating node with rid 2 , port map 100 and lag map \nnode was created with handle 1\n",
        "Associating node 0 to multicast group 7\n",
        "Associating node 1 to multicast group 7\n",
        head + "  -> (L1h=0, rid=1) -> (ports=[1, 3], lags=[])\n  -> (L1h=1, rid=2) -> (ports=[2], lags=[])\n" + ends,
        "Dissociating node 1 from multicast group 7\n",
        "Updating node 0 with port map 10000 and lag map \n",
        head + "  -> (L1h=0, rid=1) -> (ports=[4], lags=[])\n" + ends,
        "",
        "MirroringSessionConfig(port=3, mgid=None)\n",
        "",
        "Invalid mirroring operation (SESSION_NOT_FOUND)\n",
        "Associating node 1 to multicast group 9\nInvalid PRE operation (INVALID_MGRP_HANDLE)\n",
        "Creating multicast group 7\n",
        "Destroying multicast group 7\n",
        "Destroying multicast group 7\n",
    ]


def test_profiles_and_value_sets(switch: Switch) -> None:
    answers = switch.cli(
        "act_prof_create_member choice forward 1 1",
        "act_prof_create_member choice drop",
        "act_prof_create_group choice",
        "act_prof_add_member_to_group choice 1 0",
        "table_indirect_add_with_group balance 0x800 => 0",
        "act_prof_delete_member choice 1",
        "act_prof_dump choice",
        "pvs_add kinds 0x800",
        "pvs_get kinds",
        "pvs_clear kinds",
        "pvs_get kinds",
    )
    assert answers[0] == "Member has been created with handle 0\n"
    assert answers[2] == "Group has been created with handle 0\n"
    assert answers[4] == "Adding entry to indirect match table MyIngress.balance\nEntry has been added with handle 0\n"
    assert answers[5] == "Invalid table operation (MBR_STILL_USED)\n"
    assert answers[6].endswith("GROUPS\n**********\nDumping group 0\nMembers: [1]\n")
    assert answers[7:] == ["", "0800\n", "", ""]


def test_older_names_of_commands_about_profiles(switch: Switch) -> None:
    answers = switch.cli(
        "table_indirect_create_member balance drop",
        "table_indirect_create_group balance",
        "table_indirect_add_member_to_group balance 0 0",
        "table_dump_member balance 0",
        "table_dump_group MyIngress.balance 0",
        "table_indirect_remove_member_from_group balance 0 0",
        "table_indirect_delete_group balance 0",
        "table_indirect_delete_member balance 0",
        "table_indirect_create_member acl drop",
        "table_indirect_create_group acl",
    )
    assert answers == [
        "Member has been created with handle 0\n",
        "Group has been created with handle 0\n",
        "",
        "Dumping member 0\nAction entry: MyIngress.drop - \n",
        "Dumping group 0\nMembers: [0]\n",
        "",
        "",
        "",
        "Error: Cannot run this command on non-indirect table\n",
        "Error: Cannot run this command on non-indirect table, or on indirect table with no selector\n",
    ]


def test_ports(switch: Switch) -> None:
    assert switch.cli("show_ports") == [f"{'port #':^10}{'iface name':^20}{'status':^10}extra info\n{'=' * 50}\n"]


def test_without_p4runtime(program: Path) -> None:
    """Several of them run side by side, and a program that waits for their ports, as Mininet's scripts do, does not wait in vain."""
    with running("simple_switch", program, "--", "--drop-port", "100") as first, running("simple_switch", program) as second:
        added = [switch.cli("table_add ipv4_lpm drop 10.0.0.0/8 =>")[0] for switch in (first, second)]
        assert all(answer.endswith("Entry has been added with handle 0\n") for answer in added)
        socket.create_connection(("127.0.0.1", first.port), timeout=LIMIT_S).close()
        again = [str(binaries() / "simple_switch"), "--thrift-port", str(first.port), str(program)]
        result = subprocess.run(again, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        assert result.returncode == 1
        assert result.stderr.startswith(f"simple_switch: --thrift-port {first.port}: ")


def test_simple_switch_needs_a_program(program: Path) -> None:
    result = subprocess.run([str(binaries() / "simple_switch"), "--no-p4"], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert result.returncode == 2
    assert "only P4Runtime can give a switch its program later" in result.stderr


def test_without_a_port_the_number_is_the_default_one(program: Path, tmp_path: Path) -> None:
    command = [str(binaries() / "simple_switch_grpc"), str(program), "--", "--grpc-server-addr", "127.0.0.1:0"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, env=environment)
    try:

        def told() -> str:
            client = [str(binaries() / "simple_switch_CLI")]
            words = "show_actions\n"
            return subprocess.run(client, input=words, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False).stdout

        wait_for("the switch", lambda: "MyIngress.forward" in told())
        # Another one runs as well; it is not found so.
        with running_beside(command, environment):
            assert "MyIngress.forward" in told()
        assert "MyIngress.forward" in told()
    finally:
        process.terminate()
        process.wait(10)
    assert not (tmp_path / "simple_switch-thrift-9090.sock").exists()


@contextlib.contextmanager
def running_beside(command: list[str], environment: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen([command[0], "--log-console", *command[1:]], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        ready = next(line for line in process.stderr if "ready" in line)
        assert "\x1b" not in ready, "colours in what is no terminal"
        yield
    finally:
        process.terminate()
        process.communicate(timeout=LIMIT_S)


def test_queues_help_and_wrong_words(switch: Switch) -> None:
    answers = switch.cli(
        "set_queue_depth 64", "set_queue_rate 1000 9 x", "help", "help table_add", "tables", "table_add", "show_tables", "reset_state", ""
    )
    assert answers[0] == ""
    assert answers[1] == "Error: Bad format for priority, expected integer\n"
    assert {"table_add", "set_queue_rate"} <= set(answers[2].splitlines())
    assert "table_add <table name>" in answers[3]
    assert answers[4:6] == ["*** Unknown syntax: tables\n", "Error: Insufficient number of args\n"]
    assert answers[6].splitlines() == [
        "MyIngress.acl                  [implementation=None, mk=ethernet.source(ternary, 48),\tethernet.kind(range, 16)]",
        "MyIngress.balance              [implementation=MyIngress.choice, mk=ethernet.kind(exact, 16)]",
        "MyIngress.ipv4_lpm             [implementation=None, mk=ipv4.destination(lpm, 32)]",
    ]
    assert answers[7:] == ["", ""]


def test_no_switch_there() -> None:
    command = [str(binaries() / "simple_switch_CLI"), "--thrift-port", str(free_port())]
    result = subprocess.run(command, input=b"help\n", capture_output=True, timeout=LIMIT_S, check=False)
    assert result.returncode == 2
    assert b"no switch answers at" in result.stderr
