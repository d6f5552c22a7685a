"""Which ways connections take: frames by Scapy, through the compiled program, without a network."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import nodectl_p4
import pytest
from nodectl_p4.binaries import binary
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

PROGRAM = Path(__file__).with_name("balancer.p4")
WAYS = {0: 2, 1: 3}
"""The port of each next hop of s1."""


class Balancer:
    """The program with the entries of s1, in p4sim: one request a line, one answer a line."""

    def __init__(self, program):
        command = [str(binary("p4sim")), str(program.json_path)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.add("destinations", [{"lpm": ["0a000002", 32]}], "balance", ["0001", "0002"])
        for choice, port in WAYS.items():
            self.add("next_hops", [{"exact": "0001"}, {"exact": f"{choice:04x}"}], "forward", [f"{port:02x}"])

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer
        return answer

    def add(self, table, match, action, params):
        self.ask(op="table_add", table=table, match=match, action=action, params=params)

    def way_of(self, port, number=1):
        """The port by which packet `number` of the connection from `port` leaves."""
        frame = Ether() / IP(src="10.0.0.1", dst="10.0.0.2", id=number) / TCP(sport=port, dport=80, seq=number)
        (sent,) = self.ask(op="packet", port=1, data=bytes(frame).hex(), time_us=number)["packets"]
        assert sent["data"] == bytes(frame).hex()
        return sent["port"]


@pytest.fixture
def balancer():
    running = Balancer(nodectl_p4.compile(PROGRAM))
    yield running
    running.process.stdin.close()
    running.process.stdout.close()
    running.process.wait()


def test_a_connection_keeps_its_way(balancer):
    for port in range(5000, 5010):
        assert len({balancer.way_of(port, number) for number in range(1, 20)}) == 1


def test_both_ways_have_their_part(balancer):
    taken = Counter(balancer.way_of(port) for port in range(40000, 40800, 2))  # even ports, as Linux gives programs that connect
    assert set(taken) == set(WAYS.values())
    assert min(taken.values()) > 150, f"of 400 connections, by port: {dict(taken)}"
