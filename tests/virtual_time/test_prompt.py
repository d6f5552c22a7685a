"""The prompt in virtual time, and exercises in p4lang's layout: scripted sessions, whose output is the same each time."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY
from tests.virtual_time.inside import needs_virtual_time

pytestmark = needs_virtual_time

EXERCISE = REPOSITORY / "tests" / "own_programs" / "exercise"
FORWARDER = REPOSITORY / "tests" / "own_programs" / "forwarder"
LEARNING = REPOSITORY / "tests" / "own_programs" / "learning"
CACHE = REPOSITORY / "tests" / "own_programs" / "cache"
CACHE_SAYS = [
    "0.0 s: an entry that is not there: ['NOT_FOUND']",
    "1.0 s: asked for 10.0.1.1 to 10.0.1.2",
    "1.0 s: asked for 10.0.1.2 to 10.0.1.1",
    "6.0 s: nobody uses 10.0.1.1 to 10.0.1.2",
    "6.0 s: nobody uses 10.0.1.2 to 10.0.1.1",
    "7.0 s: asked for 10.0.1.1 to 10.0.1.2",
    "7.0 s: asked for 10.0.1.2 to 10.0.1.1",
]
LIMIT_S = 280
RATE = re.compile(r"([0-9.]+) Mbits/sec")


def session(*words: str, lines: str | None = None) -> str:
    command = [sys.executable, "-m", "testbed", *words]
    done = subprocess.run(command, cwd=REPOSITORY, input=lines, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def exercise() -> str:
    return session("tutorial", str(EXERCISE), "--script", str(EXERCISE / "script.txt"))


def test_an_exercise_does_what_it_says() -> None:
    said = exercise()
    assert "2 packets transmitted, 2 received, 0% packet loss, time 1000ms" in said
    assert "*** Results: 0% dropped (6/6 received)" in said
    assert "got 'hello' with ttl 62, from port 5000" in said
    (found,) = RATE.findall(said)
    assert float(found) == pytest.approx(10 * 1448 / 1514, rel=0.01), "TCP has the link's rate"


@only_long
def test_an_exercise_does_the_same_each_time() -> None:
    assert exercise() == exercise()


def test_lines_come_by_standard_input_too_and_mistakes_end_nothing() -> None:
    lines = "h1 ping -c 1 h2\nrun soon\nrun 1.5s\ntime\nnonsense\niperf h1\npy 1/0\nxterm h1\nh1 true\n"
    said = session("cli", str(FORWARDER / "run.toml"), lines=lines)
    assert "1 packets transmitted, 1 received" in said
    assert "usage: run SECONDS" in said
    assert "*** Unknown command: nonsense" in said
    assert "usage: iperf FROM TO" in said
    assert "windows are for a terminal: window h1 COMMAND" in said
    (told,) = re.findall(r"^([0-9.]+) s$", said, re.MULTILINE)
    assert 1.5 <= float(told) < 1.6, "time passes while commands run, and not while nobody types"


@only_long
def test_a_command_that_does_not_end_is_ended() -> None:
    said = session("cli", str(FORWARDER / "run.toml"), lines="h1 ping h2\n")
    assert re.search(r"ended after 180 s.*\n(.*\n)*18[01] packets transmitted, 18[01] received", said)


@only_long
def test_programs_in_windows_go_on_beside_others_and_read_lines(tmp_path: Path) -> None:
    ask = "python3 -c \"print('got', input('which? '))\""
    lines = [
        "window h3 ./receive.py", "h1 ./send.py 10.0.3.3 hello", "run 200ms", f"window h1 {ask}", "window h1 this", "time",
        "window h2 ping h1", "run 1s", "window h2 ^C", "window h7 true",
    ]  # fmt: skip
    (tmp_path / "script").write_text("\n".join(lines) + "\n")
    said = session("tutorial", str(EXERCISE), "--script", str(tmp_path / "script"))
    assert "h3| got 'hello' with ttl 62, from port 5000" in said
    assert "h1| which? got this" in said
    assert re.search(r"h2\| [23] packets transmitted, [23] received", said), "an interrupted program says its last"
    assert "usage: window HOST LINE; hosts are h1 h2 h3" in said


ASKS = """import time
while (typed := input("number? ")) != "quit":
    print(int(typed) * 2)
    time.sleep(1)
"""


@only_long
def test_a_program_in_the_foreground_reads_the_lines_that_follow(tmp_path: Path) -> None:
    lines = [
        "h1 python3 ask.py", "7", "8", "quit", "h1 read word; echo got $word", "this", "h1 python3 edit.py", "9", "quit",
        "h1 cat > copied", "copy me",
    ]  # fmt: skip
    folder = tmp_path / "exercises" / "ask"
    shutil.copytree(EXERCISE, folder)
    shutil.copytree(FORWARDER, tmp_path / "exercises" / "forwarder")
    (folder / "ask.py").write_text(ASKS)
    (folder / "edit.py").write_text(f"import readline\n{ASKS}")
    (tmp_path / "script").write_text("\n".join(lines) + "\n")
    first, second = (session("tutorial", str(folder), "--script", str(tmp_path / "script")) for _ in range(2))
    assert first == second
    assert re.search(r"ask\.py\nnumber\? 7\n14\nnumber\? 8\n16\nnumber\? quit\nnodectl 2\.0\d\d s> ", first), "two answers, two seconds"
    assert "this\ngot this\n" in first, "a shell reads too"
    assert "number? 9\n18\nnumber? quit\n" in first, "what a program echoes that edits lines is not shown twice"
    assert re.search(r"copied\ncopy me\n\nnodectl [0-9.]+ s> exit\n", first), "the end of the script is the end of the input"


@only_long
def test_a_controller_in_the_prompt_takes_switches_that_nobody_has(tmp_path: Path) -> None:
    exercise = Path(shutil.copytree(EXERCISE, tmp_path / "exercises" / "own"))
    shutil.copy(FORWARDER / "forwarder.p4", exercise / "basic.p4")
    shutil.copy(FORWARDER / "controller.py", exercise / "controller.py")
    text = (exercise / "controller.py").read_text()
    routes = 'ROUTES = {0: {"10.0.1.1": 1, "10.0.3.3": 3}, 1: {"10.0.1.1": 3, "10.0.3.3": 1}}'
    text = re.sub(r"ROUTES = .*", routes, text).replace('bytes([2, 0, 0, 0, 0, int(address.rpartition(".")[2])])', "MACS[address]")
    macs = 'MACS = {"10.0.1.1": bytes.fromhex("080000000111"), "10.0.3.3": bytes.fromhex("080000000333")}\n\n\ndef main'
    (exercise / "controller.py").write_text(text.replace("def main", macs, 1))
    (exercise / "Makefile").write_text("TOPO = pod/topology.json\nNO_P4 = true\n")
    topology = exercise / "pod" / "topology.json"
    topology.write_text(re.sub(r'"runtime_json": "[^"]*"', "", topology.read_text()))
    files = "--p4info build/basic.p4.p4info.txtpb --pipeline build/basic.json"
    (tmp_path / "script").write_text(
        f"h1 ping -c 1 -W 1 h3\nsh python3 controller.py {files} 0=127.0.0.1:50051 1=127.0.0.1:50052\nh1 ping -c 1 -W 1 h3\n"
    )
    said = session("tutorial", str(exercise), "--script", str(tmp_path / "script"))
    assert "100% packet loss" in said
    assert "switch 1 is configured" in said
    assert " 0% packet loss" in said


@only_long
def test_packets_that_go_round_are_noticed(tmp_path: Path) -> None:
    exercise = Path(shutil.copytree(EXERCISE, tmp_path / "exercises" / "own"))
    shutil.copy(FORWARDER / "forwarder.p4", exercise / "basic.p4")
    topology, entries = exercise / "pod" / "topology.json", exercise / "pod" / "s2-runtime.json"
    topology.write_text(re.sub(r'"5ms",\s*10', '"0"', topology.read_text()))
    entries.write_text(entries.read_text().replace('"port": 1', '"port": 3'))
    topology.write_text(topology.read_text().replace('s1-runtime.json"', 's1-runtime.json", "cli_input": "s1-commands.txt"'))
    (exercise / "s1-commands.txt").write_text("table_add nothing drop =>\ntable_set_default ipv4_lpm drop\n")
    for name in ("topo", "hosts", "common", "controller"):
        (exercise / f"{name}.py").write_text("raise SystemExit('a file of the exercise, not the testbed')")
    (tmp_path / "script").write_text("ports\ntrace h1 icmp count 1\nh1 ping -c 1 -W 2 h3\ntables s1\nlinks\ntransfer h1 h2 cubic 1\n")
    said = session("tutorial", str(exercise), "--script", str(tmp_path / "script"))
    assert re.search(r"s1-s2 carried [0-9,]+ packets while hosts sent [0-9]+: packets go round between s1 and s2; `trace s1", said)
    assert said.count("packets go round") == 1, "it is said once"
    assert "a file of the exercise" not in said
    assert re.search(r"s1 +│ 1 +│ h1 +│ 10\.0\.1\.1/24 +│ 08:00:00:00:01:11", said), "ports"
    assert re.search(r"passed over: .*s1-commands\.txt:1: table_add nothing", said), "as simple_switch_CLI does it"
    assert "received on port 1" in said, "the trace of a host's packets"
    assert "ipv4_lpm" in said, "tables"


@only_long
def test_packet_ins_and_idle_entries_come_in_virtual_time() -> None:
    said = session("tutorial", str(CACHE), "--script", str(CACHE / "script.txt"))
    assert re.findall(r"([0-9.]+ s: .*)", said) == CACHE_SAYS


@only_long
def test_a_controller_on_thrift_learns_from_digests() -> None:
    said = session("tutorial", str(LEARNING), "--script", str(LEARNING / "script.txt"))
    assert "s1 is ready, its controller's interface is s1-cpu-eth1, port 4" in said
    assert "2 packets transmitted, 2 received, 0% packet loss" in said
    learned = re.findall(r"(00:00:0a:00:00:0[123]) is behind port ([123])", said)
    assert learned == [("00:00:0a:00:00:01", "1"), ("00:00:0a:00:00:02", "2"), ("00:00:0a:00:00:03", "3")], said
    assert len(re.findall(r"MyIngress\.forward\(port=[123]\)", said)) == 3


LISTEN = """import socket
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as cpu:
    cpu.bind(("s1-cpu-eth1", 3))
    cpu.settimeout(5)
    frame = cpu.recv(2000)
    print("from the switch to", socket.inet_ntoa(frame[30:34]), flush=True)
    answer = bytearray(frame)
    answer[26:30], answer[30:34] = frame[30:34], frame[26:30]
    answer[34] = 0  # an echo reply; its checksum is greater by what the type was less
    answer[36:38] = ((int.from_bytes(frame[36:38], "big") + 0x0800) % 0xFFFF).to_bytes(2, "big")
    cpu.send(answer)
"""


@only_long
def test_a_cpu_port_leads_to_an_interface_of_the_machine(tmp_path: Path) -> None:
    app = tmp_path / "exercises" / "learning"
    app.mkdir(parents=True)
    shutil.copy(FORWARDER / "forwarder.p4", app / "main.p4")
    (app / "listen.py").write_text(LISTEN)
    (app / "commands.txt").write_text(
        "table_set_default ipv4_lpm ipv4_forward 02:00:00:00:00:99 2\ntable_add ipv4_lpm ipv4_forward 10.0.1.1/32 => 00:00:0a:00:01:01 1\n"
    )
    switches = {"s1": {"cli_input": "commands.txt", "cpu_port": True}}
    topology = {"assignment_strategy": "mixed", "links": [["h1", "s1"]], "hosts": {"h1": {}}, "switches": switches}
    (app / "p4app.json").write_text(json.dumps({"p4_src": "main.p4", "topology": topology}))
    (tmp_path / "script").write_text("sh python3 listen.py &\nrun 1s\nh1 ping -c 1 -W 2 10.9.9.9\nlinks\n")
    said = session("tutorial", str(app), "--script", str(tmp_path / "script"))
    assert "from the switch to 10.9.9.9" in said
    assert "1 packets transmitted, 1 received" in said
    assert "s1-cpu" in said
