"""Every command of README and the other pages is known: it can be run as it stands, or known.toml says how.

All are run in a clone that has only been through `make setup` by ``python -m tests.page_commands``, which is part of `make test-all`.
"""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pytest

from tests.harness.switches import REPOSITORY
from tests.page_commands import running
from tests.page_commands.command_line import main
from tests.page_commands.known import FILE, Way, known, way_of
from tests.page_commands.log import Log
from tests.page_commands.running import Outcome, run
from tests.page_commands.typed import EXECUTED, Typed, shell_blocks, typed_commands

COMMANDS = typed_commands()


def test_commands_are_found_where_they_stand() -> None:
    found = {one.words: one.pages for one in COMMANDS}
    assert "README.md" in found["make run"], "an indented block"
    assert "docs/index.md" in found["make run SCENARIO=web_files"], "a table"
    assert "README.md" in found["make run SEED=2"], "a sentence"
    assert "docs/wireshark.md" in found["make cli CAPTURE=h1-s1"], "a block, with words beside it"
    assert "docs/write-your-own-cca.md" in found["cp hosts/cca/template.c hosts/cca/mine.bpf.c"], "a block in a list"
    assert len(found) > 150


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_it_is_known_how_a_command_is_run(command: Typed) -> None:
    way = way_of(command)
    assert not way.test or (REPOSITORY / way.test).exists()


def test_every_known_command_stands_on_a_page() -> None:
    assert set(known()) <= {one.words for one in COMMANDS}, f"{FILE.name} has commands that no page has any more"


def test_every_command_of_the_first_pages_says_how_long_it_takes() -> None:
    tasks = (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8")
    rows = [line for line in tasks.splitlines() if line.startswith("| ") and "`make " in line]
    assert len(rows) > 10
    for row in rows:
        what, _, takes = row.strip("|").split(" | ")
        assert re.search(r"\d+ (s|minutes)\b|as long as|at once", takes), f"how long does it take to {what.strip()}?"
    for text in ((REPOSITORY / "README.md").read_text(encoding="utf-8"), tasks):
        for line in re.findall(r"^    make .*$", text, re.MULTILINE):
            assert re.search(r"\d+ s\b|\d+ minutes|hour", line), line


def test_blocks_that_others_execute_are_all_that_there_are() -> None:
    assert shell_blocks() == set(EXECUTED)
    assert all((REPOSITORY / test).exists() for test in EXECUTED.values())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("python -m hosts.cca list", "does not begin with what a shell finds"),
        ("make run SCENARIO=NAME", "has a placeholder"),
        ("make grade IN=<folder>", "has a placeholder"),
        (".venv/bin/python -m view.live replay …", "has a placeholder"),
        ("nodectl run curl", "does not begin with"),
    ],
)
def test_an_unknown_command_that_cannot_be_run_fails(words: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        way_of(Typed(words, ("docs/some.md",)))


def test_what_stands_for_several_commands_is_run_once() -> None:
    ways = known()
    assert ways["make reproduce"].what_runs == ways["make reproduce PAPER=all"].what_runs
    assert ways["make fuzz"].what_runs == ways["make fuzz-guided"].what_runs
    assert ways["make lab LAB=1"].what_runs != ways["sudo make lab LAB=1"].what_runs


def test_a_failure_that_is_wanted_is_told_from_others() -> None:
    with pytest.raises(ValueError, match="it may fail for another reason"):
        Way(typed=["make lab LAB=1"], reason="nothing is written yet", status=2)


def test_what_takes_long_has_smaller_forms() -> None:
    def smaller(words: str) -> str:
        command = Typed(words, ("README.md",))
        return way_of(command).in_smaller_form(command).instead

    assert smaller("make run SCENARIO=web_load") == "make run SCENARIO=web_load QUICK=1"
    assert smaller("make run SCENARIO=beside_tcp") == "make run SCENARIO=beside_tcp SCHEMES=nodectl"
    assert smaller("make run SWITCH=bmv2 SCHEMES=nodectl,cubic") == smaller("make help") == ""


def test_a_log_tells_what_has_passed(tmp_path: Path) -> None:
    one, two = (Typed(words, ("README.md",)) for words in ("make one", "make two"))
    way = Way(typed=[one.words, two.words])
    log = Log(tmp_path / "log")
    log.add(one, way, Outcome("", "", 1.0, 1.0))
    log.add(two, way, Outcome("it ended with status 2", "make: ***", 1.0, 1.0))
    log = Log(tmp_path / "log")
    assert log.has_passed(one, way)
    assert not log.has_passed(two, way)
    assert not log.has_passed(one, Way(typed=[one.words], reason="now it is another", instead="make other"))
    log.add(two, way, Outcome("", "", 1.0, 1.0))
    assert Log(tmp_path / "log").has_passed(two, way)
    assert not Log(None).has_passed(one, way)


def outcome(words: str, folder: Path, **way: object) -> Outcome:
    return run(Typed(words, ("README.md",)), Way.model_validate({"typed": [words], "reason": "a test", **way}), folder)


def test_what_a_command_comes_to(tmp_path: Path) -> None:
    assert outcome("true", tmp_path).failure == ""
    assert "status 3" in outcome("exit 3", tmp_path).failure
    assert outcome("echo so; exit 3", tmp_path, status=3, says="so").failure == ""
    assert "not said" in outcome("echo another; exit 3", tmp_path, status=3, says="so").failure
    assert "Traceback" in outcome("echo Traceback '(most recent call last):'", tmp_path).failure
    assert "internal error" in outcome("echo internal error; exit 3", tmp_path, status=3, says="error").failure
    assert outcome("echo p4c not found on PATH; exit 2", tmp_path, refusal="not found on PATH").failure == ""
    assert "status 2" in outcome("echo something else; exit 2", tmp_path, refusal="not found on PATH").failure
    assert outcome("read word && test $word = exit", tmp_path, input="exit\n").failure == ""
    assert outcome("make something", tmp_path, instead="test -e prepared", before="touch prepared").failure == ""
    assert "before it" in outcome("true", tmp_path, before="false").failure
    assert "not ended" in outcome("sleep 60", tmp_path, limit_min=0.005).failure


SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(sys.argv[1])); self.end_headers(); self.wfile.write(b"<html>")
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(f"live page: http://127.0.0.1:{server.server_port}/", flush=True)
try:
    server.handle_request() if sys.argv[2] == "once" else server.serve_forever()
except KeyboardInterrupt:
    pass
"""


def test_a_page_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    serve = f"exec {sys.executable} server.py"
    assert outcome(f"{serve} 200 always", tmp_path, page=True).failure == ""
    assert outcome(f"{serve} 200 once", tmp_path, page=True, until_end=True).failure == ""
    assert "404" in outcome(f"{serve} 404 always", tmp_path, page=True).failure
    assert "no address" in outcome("true", tmp_path, page=True).failure


def test_in_a_shells_background_commands_are_ended_by_ctrl_c_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    monkeypatch.setattr(sys, "argv", ["page_commands", "--list", "--only", "^nothing$"])
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert main() == 0
        assert signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, signal.SIG_DFL)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_nothing_of_this_environment_is_in_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODECTL_LONG_TESTS", "1")
    assert outcome('test -z "$NODECTL_LONG_TESTS$VIRTUAL_ENV$PYTHONPATH$MAKEFLAGS"', tmp_path).failure == ""
    assert running.environment().keys() == {"HOME", "PATH", "LANG"}
