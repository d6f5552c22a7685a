"""``testbed check``: a wrong edit fails it with the right place, and watching sees what is saved. Without runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.errors import UserError
from testbed.checking.finding import Finding, Verdict
from testbed.checking.folder_check import check_folder
from testbed.checking.watching import changes, state_of, watch
from testbed.starting.catalogue import template_named
from testbed.starting.making import make_folder
from tests.harness.switches import REPOSITORY

WRONG = {
    "router": ("s1-runtime.json", '"destination_mac": "02:00:00:00:00:01"', '"to": "02:00:00:00:00:01"', "run.toml", "s1-runtime.json:5: "),
    "firewall": ("s1.toml", "\npriority = 20", "", "run.toml", "s1.toml:13: table FirewallIngress.rules: an entry needs a priority"),
    "load-balancer": ("balancer.p4", "HashAlgorithm.crc16", "HashAlgorithm.crc32", "test_balancer.py", "of 400 connections, by port: {"),
    "int": (
        "telemetry.p4",
        "hdr.udp.bytes = hdr.udp.bytes + HOP_BYTES;",
        "",
        "telemetry.stf",
        "line 7: the packet at port 2 differs from byte 39",
    ),
    "stateful": ("stateful.p4", "second_filter.write(meta.second, 1);", "", "stateful.stf", "line 15: "),
    "controller": (
        "learning.p4",
        "mark_to_drop(standard);",
        "mark_to_drop(standard)",
        "learning.p4",
        "learning.p4(83): error: syntax error",
    ),
}
"""By template: the file that is edited, the text there, its replacement, the file whose check fails, and the message."""

PLAIN = """
#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
parser P(packet_in p, out headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    state start { p.extract(h.one); transition accept; }
}
control C(inout headers_t h, inout metadata_t m) { apply { } }
control I(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply { s.egress_spec = PORT; } }
control E(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers_t h) { apply { p.emit(h); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
"""
HEADERS = "header one_t { bit<8> value; }\nstruct headers_t { one_t one; }\nstruct metadata_t { }\n"
WATCHED_S = 60


def findings_of(folder: Path) -> list[Finding]:
    found: list[Finding] = []
    passed = check_folder(folder, found.append, run=False)
    assert passed == all(one.verdict is not Verdict.FAILED for one in found)
    return found


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_edit_of_a_template(name: str, tmp_path: Path) -> None:
    edited, old, new, checked, said = WRONG[name]
    make_folder(tmp_path, template_named(name))
    text = (tmp_path / edited).read_text()
    assert text.count(old) >= 1
    (tmp_path / edited).write_text(text.replace(old, new, 1))
    failed = [one for one in findings_of(tmp_path) if one.verdict is Verdict.FAILED]
    assert said in next(one.reason for one in failed if one.what == checked), "\n".join(map(str, failed))


def test_a_failure_is_told_however_much_is_logged(tmp_path: Path) -> None:
    (tmp_path / "plain.p4").write_text(PLAIN.replace("PORT", "2").replace('#include "headers.p4"', HEADERS))
    (tmp_path / "test_plain.py").write_text(
        "# program: plain.p4\nimport logging\n\n\ndef test_it() -> None:\n    print('a remark')\n"
        "    for _ in range(50):\n        logging.warning('no route')\n    assert False, 'the ' + 'reason ' * 20\n"
    )
    (found,) = [one for one in findings_of(tmp_path) if one.verdict is Verdict.FAILED]
    assert "the reason reason" in found.reason
    assert "a remark" in found.reason
    assert "no route" not in found.reason


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    (tmp_path / "plain.p4").write_text(PLAIN.replace("PORT", "2"))
    (tmp_path / "headers.p4").write_text(HEADERS)
    (tmp_path / "plain.stf").write_text("packet 1 07\nexpect 2 07 $\n")
    return tmp_path


def shown(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(str(one.verdict), one.what) for one in findings]


def test_a_folder_need_not_have_a_scenario_and_included_files_are_no_programs(plain: Path) -> None:
    assert shown(findings_of(plain)) == [("passed", "plain.p4"), ("passed", "plain.stf")]


def test_tests_of_a_program_that_does_not_compile_are_left_out(plain: Path) -> None:
    (plain / "headers.p4").write_text("")
    (compiled, tested) = findings_of(plain)
    assert (compiled.verdict, tested.verdict) == (Verdict.FAILED, Verdict.LEFT_OUT)
    assert compiled.reason.startswith("plain.p4(5): ")
    assert tested.reason == "plain.p4 does not compile"


def test_which_program_a_packet_test_is_for(plain: Path) -> None:
    (plain / "other.stf").write_text("packet 1 07\nexpect 3 07 $\n")
    assert "line 2" in findings_of(plain)[1].reason, "the only one there is"
    (plain / "second.p4").write_text(PLAIN.replace("PORT", "3"))
    assert "which program it is for is not known" in findings_of(plain)[2].reason
    (plain / "other.stf").write_text("# program: second.p4\npacket 1 07\nexpect 3 07 $\n")
    assert {one.verdict for one in findings_of(plain)} == {Verdict.PASSED}
    (plain / "other.stf").write_text("# program: third.p4\n")
    assert "there is no such file" in findings_of(plain)[2].reason


def test_programs_are_compiled_with_what_the_scenario_defines(plain: Path) -> None:
    (plain / "plain.p4").write_text(PLAIN)
    assert findings_of(plain)[0].verdict is Verdict.FAILED
    network = 'schema = 2\ntitle = "plain"\np4 = "plain.p4"\np4_defines = ["PORT=2"]\nrun = { schemes = ["cubic"], duration_s = 1 }\n'
    one = '[topology]\nkind = "graph"\nswitches = ["s1"]\nattached = { h1 = "s1", h2 = "s1" }\naccess = { rate_mbps = 10, delay_ms = 1 }\n'
    (plain / "run.toml").write_text(network + one)
    assert shown(findings_of(plain)) == [("passed", "plain.p4"), ("passed", "plain.stf"), ("passed", "run.toml")]


def test_a_scenario_that_cannot_be_read_is_told_once(plain: Path) -> None:
    (plain / "run.toml").write_text("schema = 2\n[[bars]\n")
    (told,) = (one for one in findings_of(plain) if one.what == "run.toml")
    assert "not valid TOML" in told.reason


def test_a_run_is_left_out_after_a_failure(plain: Path) -> None:
    make_folder(plain / "router", template_named("router"))
    (plain / "router" / "router.stf").write_text("packet 1 07\nexpect 2\n")
    found: list[Finding] = []
    assert not check_folder(plain / "router", found.append)
    assert str(found[-1]) == "left out  run of run.toml: an earlier step has failed"


def test_there_has_to_be_something_to_check(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is nothing to check"):
        findings_of(tmp_path)
    with pytest.raises(UserError, match="there is no folder"):
        findings_of(tmp_path / "none")


def test_what_has_changed(plain: Path) -> None:
    before = state_of(plain)
    (plain / "plain.p4").write_text("")
    (plain / "new.stf").write_text("")
    (plain / "plain.stf").unlink()
    (plain / "__pycache__").mkdir()
    (plain / "__pycache__" / "some.pyc").write_text("")
    (plain / ".plain.p4.swp").write_text("")
    assert changes(before, state_of(plain)) == ["new.stf is new", "plain.p4 has changed", "plain.stf is gone"]


def test_watching_checks_again_after_a_change_also_of_what_was_saved_meanwhile(plain: Path) -> None:
    rounds: list[int] = []
    told: list[str] = []

    def check() -> None:
        rounds.append(len(rounds))
        if len(rounds) == 1:
            (plain / "plain.p4").write_text("saved while it was checked")

    def tell(line: str) -> None:
        told.append(line.strip())
        if "waiting" in line and len(rounds) == 2:
            (plain / "plain.stf").write_text("")
        if "waiting" in line and len(rounds) == 3:
            raise KeyboardInterrupt

    watch(plain, check, tell, look_s=0.001)
    assert [line for line in told if line and "waiting" not in line] == ["plain.p4 has changed", "plain.stf has changed"]


def lines_until(lines: Iterator[str], word: str) -> str:
    found = []
    for line in lines:
        found.append(line)
        if word in line:
            return "".join(found)
    raise AssertionError(f"no {word!r} in {''.join(found)}")


def test_the_command_watches_until_an_interrupt(plain: Path) -> None:
    command = [sys.executable, "-m", "testbed", "check", str(plain), "--watch", "--quick"]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert "passed    plain.stf" in lines_until(process.stdout, "waiting for a change")
            (plain / "plain.p4").write_text(PLAIN.replace("PORT", "3"))
            said = lines_until(process.stdout, "waiting for a change")
            assert "\nplain.p4 has changed\npassed    plain.p4: it compiles\nfailed    plain.stf: " in said
            process.send_signal(signal.SIGINT)
            assert process.wait(WATCHED_S) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


def test_the_commands_exit_codes(plain: Path) -> None:
    def status(*words: str) -> int:
        return subprocess.run([sys.executable, "-m", "testbed", "check", str(plain), *words], cwd=REPOSITORY, check=False).returncode

    assert status() == 0
    assert status("--quick") == 2, "it is for --watch"
    (plain / "plain.stf").write_text("packet 1 07\nexpect 3 07\n")
    assert status() == 1


TWO = """
schema = 2
title = "Two programs"
p4 = "plain.p4"
[topology]
kind = "graph"
switches = ["s1", "s2", "s3"]
attached = { h1 = "s1", h2 = "s2" }
access = { rate_mbps = 100, delay_ms = 1 }
trunk = { rate_mbps = 20, delay_ms = 5, queue_packets = 50 }
links = [["s1", "s2"], ["s2", "s3"]]
[switches.s2]
p4 = "other.p4"
[run]
duration_s = 1
schemes = ["cubic"]
"""
"""s1 and s3 run one program, s2 another one."""


@pytest.mark.parametrize(
    ("switch", "expected"),
    [
        ("s1", [("passed", "plain.p4"), ("left out", "mine.stf"), ("passed", "open.stf"), ("passed", "plain.stf")]),
        ("s2", [("passed", "other.p4"), ("passed", "mine.stf"), ("failed", "open.stf"), ("left out", "plain.stf")]),
    ],
)
def test_the_packet_tests_of_one_switch(switch: str, expected: list[tuple[str, str]], plain: Path) -> None:
    (plain / "other.p4").write_text(PLAIN.replace("PORT", "3"))
    (plain / "mine.stf").write_text("# program: other.p4\npacket 1 07\nexpect 3 07 $\n")
    (plain / "open.stf").write_text("packet 1 07\nexpect 2 07 $\n")
    (plain / "run.toml").write_text(TWO)
    (plain / "test_program.py").write_text(
        "import os\nfrom pathlib import Path\n"
        "def test_it_is_told_the_program():\n"
        f"    assert Path(os.environ['NODECTL_P4_PROGRAM']).name == {expected[0][1]!r}\n"
    )
    found: list[Finding] = []
    check_folder(plain, found.append, switch=switch)
    assert shown(found) == [*expected, ("passed", "test_program.py")]


def test_a_switch_that_is_not_there_and_one_without_a_program(plain: Path) -> None:
    with pytest.raises(UserError, match=r"run\.toml: No such file"):
        check_folder(plain, print, switch="s1")
    (plain / "run.toml").write_text(TWO)
    (plain / "other.p4").write_text(PLAIN.replace("PORT", "3"))
    with pytest.raises(UserError, match="no switch 's9'\n  it has s1, s2, s3"):
        check_folder(plain, print, switch="s9")
    (plain / "run.toml").write_text(TWO.replace('p4 = "plain.p4"\n', ""))
    with pytest.raises(UserError, match="s1 runs the testbed's program"):
        check_folder(plain, print, switch="s1")
