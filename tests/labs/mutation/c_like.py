"""Changes of programs in P4 and C."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.labs.mutation.mutant import Change
from tests.labs.mutation.words import other_numbers, siblings, swapped

_TOKEN = re.compile(
    r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^\#(?!define)[^\n]*|^\#define\s+\w+(\([^)]*\))?)
  | (?P<text>"(?:[^"\\\n]|\\.)*")
  | (?P<number>(?:\d+[ws])?(?:0[xX][0-9a-fA-F_]+|\d[\d_]*)[uUlL]*)
  | (?P<word>@?[A-Za-z_]\w*)
  | (?P<type><(?!\s|<|=)(?:[^<>;(){}=]|<[^<>;(){}=]*>)*>(?=\s*[\w()>,]|>))
  | (?P<sign>&&|\|\||<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|\|\+\||[-+*/&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)

_OTHER_SIGNS = {
    "==": ["!="], "!=": ["=="], "<": ["<=", ">="], ">": [">=", "<="], "<=": ["<", ">"], ">=": [">", "<"],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"],
    "&": ["|"], "|": ["&"], "^": ["&"], "+=": ["-=", "="], "-=": ["+=", "="],
}  # fmt: skip
_OTHER_WORDS = {"true": ["false"], "false": ["true"], "lpm": ["exact", "ternary"], "exact": ["ternary"]}
_ENDS_OPERAND = {"&&", "||", ",", "?", ":", ";", "=", "return"}
_WIDE = re.compile(r"\((bit<\d+>|__u64)\) ?([\w.>-]+) ([-+*]|<<|>>) (?:\(\1\) ?)?([\w.]+)")


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def changes_in(text: str, *, true: str, false: str) -> Iterator[Change]:
    """All changes of a program.

    Args:
        text: of it.
        true, false: as its language writes them.
    """
    tokens = list(_tokens(text))
    words = [token.text for token in tokens if token.kind == "word"]
    for number, token in enumerate(tokens):
        yield from _of_token(tokens, number, words)
        if token.text == "if" and tokens[number + 1].text == "(":
            start, end = tokens[number + 1].end, tokens[_closing(tokens, number + 1)].start
            yield from (Change(start, end, value) for value in (true, false))
        if token.text in ("&&", "||"):
            neutral = true if token.text == "&&" else false
            yield from (Change(start, end, neutral) for start, end in _operands(tokens, number))
        if token.text == "!":
            yield Change(token.start, token.end, "")
        if token.text == "{" and number and tokens[number - 1].text in ("(", ","):
            yield from _without_one(tokens, number)
    yield from _statements(tokens)
    for match in _WIDE.finditer(text):
        yield Change(match.start(), match.end(), f"({match[1]}) ({match[2]} {match[3]} {match[4]})")


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            at += 1
            continue
        kind = match.lastgroup or ""
        if kind != "skip":
            yield _Token(kind, match[0], match.start(), match.end())
        at = match.end()


def _of_token(tokens: Sequence[_Token], number: int, words: Sequence[str]) -> Iterator[Change]:
    token = tokens[number]
    puts: list[str] = []
    if token.kind == "number":
        puts = other_numbers(token.text)
    elif token.kind == "sign":
        puts = [] if _is_sign_or_pointer(tokens, number) else _OTHER_SIGNS.get(token.text, [])
    elif token.kind == "word" and number and tokens[number - 1].kind != "type" and not tokens[number - 1].text.startswith("#"):
        puts = [*_OTHER_WORDS.get(token.text, []), *swapped(token.text), *siblings(token.text, words)]
    yield from (Change(token.start, token.end, put) for put in puts)


def _is_sign_or_pointer(tokens: Sequence[_Token], number: int) -> bool:
    """``-x``, ``*x`` and ``&x`` have no operand before them."""
    before = tokens[number - 1] if number else None
    return tokens[number].text in "-*&" and (
        before is None or (before.kind == "sign" and before.text not in (")", "]")) or _is_type(before)
    )


def _is_type(token: _Token) -> bool:
    return token.text in ("struct", "const", "return") or token.text.startswith("__") or token.text.endswith("_sock")


def _closing(tokens: Sequence[_Token], opening: int) -> int:
    depth = 0
    for number in range(opening, len(tokens)):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(tokens[number].text, 0)
        if depth == 0:
            return number
    return len(tokens) - 1


def _operands(tokens: Sequence[_Token], number: int) -> Iterator[tuple[int, int]]:
    first, depth = number - 1, 0
    while first > 0:
        depth += {")": 1, "(": -1, "}": 1, "{": -1}.get(tokens[first].text, 0)
        if depth < 0 or (depth == 0 and tokens[first].text in _ENDS_OPERAND):
            break
        first -= 1
    yield tokens[first + 1].start, tokens[number - 1].end
    last, depth = number + 1, 0
    while last < len(tokens):
        depth += {"(": 1, ")": -1, "{": 1, "}": -1}.get(tokens[last].text, 0)
        if depth < 0 or (depth == 0 and tokens[last].text in _ENDS_OPERAND):
            break
        last += 1
    yield tokens[number + 1].start, tokens[last - 1].end


def _without_one(tokens: Sequence[_Token], opening: int) -> Iterator[Change]:
    """A list in braces that lacks one of its elements."""
    closing, depth, begins = _closing(tokens, opening), 0, opening
    for number in range(opening, closing + 1):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(tokens[number].text, 0)
        if (depth == 1 and tokens[number].text == ",") or number == closing:
            if begins == opening:
                end = tokens[number].end if tokens[number].text == "," else tokens[number].start
                yield Change(tokens[begins].end, end, "")
            else:
                yield Change(tokens[begins].start, tokens[number].start, "")
            begins = number


def _statements(tokens: Sequence[_Token]) -> Iterator[Change]:
    """A statement, or an entry of a `select`, that is not there."""
    start, braces, brackets = 0, 0, 0
    for number, token in enumerate(tokens):
        brackets += {"(": 1, ")": -1}.get(token.text, 0)
        braces += {"{": 1, "}": -1}.get(token.text, 0)
        if token.text in ("{", "}") or (token.text == ";" and brackets == 0):
            if token.text == ";" and braces and start < number:
                first = _behind_condition(tokens, start)
                yield Change(tokens[first].start, token.end, "" if first == start else ";")
            start = number + 1


def _behind_condition(tokens: Sequence[_Token], start: int) -> int:
    while tokens[start].text in ("if", "else"):
        start = _closing(tokens, start + 1) + 1 if tokens[start].text == "if" else start + 1
    return start
