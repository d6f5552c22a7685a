"""Which programs a text for a shell starts, as far as that can be read off it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

SHELLS = ("sh", "dash", "bash")
WRAPPERS = ("env", "exec", "command", "nice", "nohup", "setsid", "stdbuf", "time", "timeout", "taskset", "chrt", "xargs")
"""Programs and words of the shell that start what stands behind them and their options."""

BEFORE_A_COMMAND = ("if", "then", "elif", "else", "do", "while", "until", "!", "{")
ENDS = ("fi", "done", "}", "esac")
BUILT_IN = frozenset((
    ":", ".", "[", "alias", "bg", "break", "builtin", "cd", "command", "continue", "declare", "dirs", "disown", "echo", "enable",
    "eval", "exec", "exit", "export", "false", "fc", "fg", "getopts", "hash", "help", "jobs", "kill", "let", "local", "mapfile",
    "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend",
    "test", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait", "[[", "case", "function",
    "for", "in", "select",
))  # fmt: skip
TOKEN = re.compile(
    r"""[ \t\r]*(?:(?P<comment>\#[^\n]*)|(?P<redirection>\d*(?:<>|>>|>\||[<>]&?))|(?P<operator>\|\||&&|;;|[|;&()\n])"""
    r"""|(?P<word>(?:[^\s'"\\|;&()<>]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+))""",
    re.DOTALL,
)
NOT_READ = re.compile(r"<<|`|\bcase\b|\bfunction\b|\w\s*\(\s*\)")
"""Here-documents, functions and so on: of a text that has them nothing is said."""

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
PLAIN = re.compile(r"[A-Za-z0-9_./+-]+|\$folder/[A-Za-z0-9_./+-]+")


def shell_text(words: Sequence[str]) -> str | None:
    """The text of ``sh -c TEXT``; None: it is no such command."""
    if not words or PurePosixPath(words[0]).name not in SHELLS:
        return None
    for position, word in enumerate(words[1:], start=1):
        if not word.startswith(("-", "+")) or word == "--":
            return None
        if not word.startswith("--") and "c" in word[1:]:
            return words[position + 1] if position + 1 < len(words) else None
    return None


def commands_in(text: str) -> list[str]:
    """The words of a shell's text that stand where a command does; those that a variable or quotes decide are left out.

    Empty where the text has parts that are not read here: here-documents, functions, ``case``, backquotes.
    """
    return [] if NOT_READ.search(text) else possible_commands(text)


def possible_commands(text: str) -> list[str]:
    """The same of any text: words of its here-documents and functions' names may be among them."""
    found = (words[0] for part in (text, *_quoted_substitutions(text)) for words in simple_commands(part))
    return list(dict.fromkeys(word for word in found if word not in BUILT_IN and PLAIN.fullmatch(word)))


def _quoted_substitutions(text: str) -> Iterator[str]:
    """The texts of ``$(…)`` between double quotes, which are part of a word for :func:`simple_commands`."""
    is_single = is_double = False
    for position, letter in enumerate(text):
        if text[position - 1 : position] == "\\":
            continue
        if letter == '"' and not is_single:
            is_double = not is_double
        elif letter == "'" and not is_double:
            is_single = not is_single
        elif is_double and text.startswith("$(", position) and not text.startswith("$((", position):
            inner = _to_closing(text[position + 2 :])
            yield inner
            yield from _quoted_substitutions(inner)


def _to_closing(text: str) -> str:
    """A text up to the parenthesis that closes it, or all of it."""
    depth = 1
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[:position]
    return text


def simple_commands(text: str) -> Iterator[list[str]]:
    """Its commands with their words; assignments before them and files of redirections are left out."""
    words: list[str] = []
    is_file, position = False, 0
    while match := TOKEN.match(text, position):
        position = match.end()
        if match["redirection"]:
            is_file = True
        elif match["operator"]:
            if words:
                yield words
            words, is_file = [], False
        elif match["word"]:
            word = match["word"]
            if is_file:
                is_file = False
            elif words or not (word in BEFORE_A_COMMAND or word in ENDS or ASSIGNMENT.match(word)):
                words.append(word)
    if words:
        yield words


def wrapped(words: Sequence[str]) -> list[str]:
    """Programs that a wrapper (``timeout 5 curl …``) may start: the first words behind it that can be names of programs."""
    if not words or PurePosixPath(words[0]).name not in WRAPPERS:
        return []
    names = [word for word in words[1:] if PLAIN.fullmatch(word) and not word.startswith("-") and not re.fullmatch(r"[\d.]+[smhd]?", word)]
    return names[:2]
