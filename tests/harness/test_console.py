"""The follower of pages: which output it takes for the same as shown, and that a wrong page fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.console import CONSOLE, Command, commands_of, follow, is_as_shown
from tests.harness.pages import Block


def console(text: str) -> Block:
    return Block(CONSOLE, "", text)


def test_commands_of_a_block() -> None:
    block = console("$ cat <<EOF\n> one\n> EOF\none\n$ true\n$ seq 2\n1\n> 2\n")
    assert commands_of(block) == [Command("cat <<EOF\none\nEOF", "one\n"), Command("true", ""), Command("seq 2", "1\n> 2\n")]


@pytest.mark.parametrize(
    ("printed", "shown", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb \n", "a\nb\n", True),
        ("a\nb", "a\nb\n", True),
        ("a\nb\nc\n", "a\nb\n", False),
        ("a\n", "", False),
        ("", "", True),
        ("time=0.3 ms\n", "time=… ms\n", True),
        ("time=0.3 s\n", "time=… ms\n", False),
        ("a\nb\nc\n", "a\n…\nc\n", True),
        ("a\nc\n", "a\n…\nc\n", True),
        ("a\nb\n", "a\n…\nc\n", False),
        ("a+\n", "a+\n", True),
        ("aa\n", "a+\n", False),
    ],
)
def test_what_is_shown(printed: str, shown: str, same: bool) -> None:
    assert is_as_shown(printed, shown) == same


def test_a_page_is_followed_in_one_shell(tmp_path: Path) -> None:
    program = Block("text", "words.txt", "one two\n")
    follow([console("$ read first rest < words.txt\n$ echo $rest; echo $first >&2\ntwo\none\n"), program], tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("$ echo one\ntwo\n", "printed\none\n\nand the page shows\ntwo"),
        ("$ echo one\n", "printed\none"),
        ("$ true\n$ false\n$ true\n", r"\$ false\nended with status 1"),
        ("$ exit 0\n$ true\n", r"\$ exit 0\nended with status none"),
        ("$ sleep 60\n", r"\$ sleep 60\nended with status none"),
        ("$ simple_switch_grpc missing.json > said.txt 2>&1 &\n", "ended with status 1"),
    ],
)
def test_a_wrong_page_fails(text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "sleep" in text:
        monkeypatch.setattr("tests.harness.console.LIMIT_S", 0.5)
    with pytest.raises(AssertionError, match=words):
        follow([console(text)], tmp_path)
