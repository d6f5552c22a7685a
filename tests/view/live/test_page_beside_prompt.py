"""The page beside a prompt in virtual time: it shows the effect of a command while the clock stands still."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.harness.long_tests import only_long
from tests.harness.waiting import wait_for
from tests.view.live.page_server import PROJECT, command
from virtual_time.session import explain_missing

SCENARIO = PROJECT / "tests" / "own_programs" / "forwarder" / "run.toml"
LIMIT_S = 200.0
END_S = 20.0
TABLE = "MyIngress.ipv4_lpm"
LINES = ["h1 ping -c 2 h2", "trace s1 icmp count 1", "h1 ping -c 1 h2", "run 600ms", "iperf h1 h2 1"]


@pytest.fixture(autouse=True)
def _in_virtual_time() -> None:
    if missing := explain_missing():
        pytest.skip(f"no virtual time: {missing}")


class Prompt:
    """A prompt, or a run, with the page beside it."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process, self.url = process, url
        self._stream = urlopen(f"{url}messages", timeout=LIMIT_S)
        self.messages: list[dict[str, Any]] = []

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def see(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message of the page that fits."""
        for line in self._stream:
            if line.startswith(b"data: "):
                self.messages.append(json.loads(line.removeprefix(b"data: ")))
                if fits(self.messages[-1]):
                    return self.messages[-1]
        raise AssertionError("the page has no more to say")


@contextmanager
def page_beside_command(name: str) -> Iterator[Prompt]:
    process = subprocess.Popen(
        command(name, SCENARIO, "--live"), cwd=PROJECT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        first = next((line for line in process.stdout if "http://" in line), "")
        assert first, "the page did not start"
        yield Prompt(process, first.split()[-1])
    finally:
        process.terminate()  # kernel and page go with it
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def hits(message: dict[str, Any]) -> int:
    """Of s1's routes."""
    if message["t"] != "state" or message["switch"] != "s1":
        return 0
    return sum(table["hits"] for table in message.get("tables", []) if table["name"] == TABLE)


def test_what_a_command_has_done_is_seen_while_the_clock_stands_still() -> None:
    with page_beside_command("cli") as one:
        header = one.see(lambda message: message["t"] == "header")
        assert header["prompt"]
        assert header["virtual"]
        assert any(name.endswith("forwarder.p4") for name in header["sources"])
        one.type(LINES[0])
        seen = one.see(lambda message: hits(message) >= 4)
        assert hits(seen) == 4, "two echoes and their answers"
        assert seen["time_s"] == pytest.approx(1.0, abs=0.05), "the prompt's own time"
        assert one.process.poll() is None, "it waits for the next line"
        one.type(LINES[1])
        one.type(LINES[2])
        hop = one.see(lambda message: message["t"] == "hop")
        assert (hop["switch"], hop["label"]) == ("s1", "ICMP h1 → h2")
        one.type("exit")
        one.see(lambda message: message["t"] == "end")
        assert any(message["t"] == "result" for message in one.messages)
        assert wait_for("its end", lambda: one.process.poll() is not None, LIMIT_S)


@only_long
def test_watching_changes_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("".join(f"{line}\n" for line in LINES))
    said = []
    for more in ([], ["--live"]):
        done = subprocess.run(
            command("cli", SCENARIO, "--script", script, *more), cwd=PROJECT, capture_output=True, text=True, timeout=LIMIT_S, check=True
        )
        said.append([line for line in done.stdout.splitlines() if "http://" not in line])
    assert said[0] == said[1]
    assert any("Mbits/sec" in line for line in said[0])


@only_long
def test_a_run_of_a_program_of_ones_own_is_seen_as_it_goes() -> None:
    with page_beside_command("run") as one:
        seen = one.see(lambda message: hits(message) > 1000)
        assert not any(message["t"] == "result" for message in one.messages)
        assert 0 < seen["time_s"] < 5
        one.see(lambda message: message["t"] == "end")
        assert any(message["t"] == "result" for message in one.messages)
