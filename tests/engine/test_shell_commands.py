"""Which programs a text for a shell starts."""

from __future__ import annotations

import pytest

from engine.plan.shell_commands import commands_in, possible_commands, shell_text, wrapped


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("wget -q -O - http://10.0.0.1/file | wc -c", ["wget", "wc"]),
        ("a && b || c; d & e", ["a", "b", "c", "d", "e"]),
        ("A=1 B='x y' env-user --x", ["env-user"]),
        ("if test -e x; then one; else two; fi", ["one", "two"]),
        ("for i in 1 2 3; do curl http://h/$i > out 2>&1; done", ["curl"]),
        ("while read line; do echo $line; done < list", []),
        ("(cd x && tar cf - .) | ssh host", ["tar", "ssh"]),
        ("echo 'a | b; c' \"d && e\" | grep '|'", ["grep"]),
        ("$PROGRAM x; \"$0\" y; './quoted' z", []),
        ("first # | not this\nsecond", ["first", "second"]),
        ("cat <<END\nwget\nEND", []),
        ("f() { wget; }; f", []),
        ("case $1 in a) wget;; esac", []),
        ("/opt/program < in > out", ["/opt/program"]),
        ("! false-friend; { other; }", ["false-friend", "other"]),
        ("x=$(curl http://h/) ; use $x", ["use"]),
        ('cd "$(dirname "$(realpath "$0")")" && go', ["realpath", "go", "dirname"]),
        ("echo '$(none)' \"\\$(none) $((1 + 2)) $(seq 3 | tac)\"", ["seq", "tac"]),
    ],
)
def test_commands_of_a_text(text: str, commands: list[str]) -> None:
    found = commands_in(text)
    assert [one for one in found if one != "curl" or "curl" in commands] == commands


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["sh", "-c", "a | b"], "a | b"),
        (["/bin/bash", "-e", "-o", "-c", "a"], "a"),
        (["bash", "-lc", "a"], "a"),
        (["sh", "script.sh", "-c", "a"], None),
        (["python3", "-c", "a"], None),
        (["sh", "-c"], None),
    ],
)
def test_the_text_of_a_shell(words: list[str], text: str | None) -> None:
    assert shell_text(words) == text


def test_commands_that_a_text_may_start() -> None:
    text = "cat <<END\nx y\nEND\nf() { wget a; }\ncase $1 in\na) curl b;;\nesac"
    assert possible_commands(text) == ["cat", "x", "END", "f", "wget", "a", "curl"]


def test_what_a_wrapper_may_start() -> None:
    assert wrapped(["timeout", "-s", "KILL", "5", "curl", "http://h/"]) == ["KILL", "curl"]
    assert wrapped(["env", "A=1", "wget", "x"]) == ["wget", "x"]
    assert wrapped(["curl", "wget"]) == []
