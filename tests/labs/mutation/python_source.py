"""Changes of programs in Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import accumulate, pairwise

from tests.labs.mutation.mutant import Change
from tests.labs.mutation.words import other_numbers, swapped

_OTHER_SIGNS = {
    "==": ["!="], "!=": ["=="], "<": ["<=", ">="], ">": [">=", "<="], "<=": ["<", ">"], ">=": [">", "<"],
    "in": ["not in"], "not in": ["in"], "is": ["is not"], "and": ["or"], "or": ["and"],
    "+": ["-"], "-": ["+"], "*": ["+"], "//": ["*"], "/": ["*"], "%": ["//"], "<<": [">>"], ">>": ["<<"], "|": ["&"], "&": ["|"],
}  # fmt: skip
_SIGN = re.compile(r"not in|is not|//|<<|>>|[=!<>]=|\bin\b|\bis\b|\band\b|\bor\b|[-+*/%<>|&]")
_NETWORK_ORDER = "!"


class _Source:
    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.splitlines(keepends=True)
        self._starts = list(accumulate((len(line) for line in self._lines), initial=0))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def _at(self, line: int, byte: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:byte].decode())


def changes_in(text: str) -> Iterator[Change]:
    """All changes of a program; annotations, docstrings and code that only runs as a main program stay."""
    source, tree = _Source(text), ast.parse(text)
    families = [[name.id for name in node.elts if isinstance(name, ast.Name)] for node in ast.walk(tree) if isinstance(node, ast.Tuple)]
    for statement in tree.body:
        if not isinstance(statement, ast.If | ast.Import | ast.ImportFrom):
            for node in _walk(statement):
                yield from _of_node(source, node, families)
                yield from _statements(source, node)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _of_node(source: _Source, node: ast.AST, families: list[list[str]]) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, comparators=others):
            yield from _between(source, [left, *others])
        case ast.BinOp(left=left, right=right):
            yield from _between(source, [left, right])
        case ast.BoolOp(op=sign, values=values):
            yield from _between(source, values)
            yield from (Change(*source.span(one), str(isinstance(sign, ast.And))) for one in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield Change(source.span(node)[0], source.span(operand)[0], "")
        case ast.If(test=test) | ast.IfExp(test=test):
            yield from (Change(*source.span(test), value) for value in ("True", "False"))
        case ast.comprehension(ifs=conditions):
            yield from (Change(*source.span(one), value) for one in conditions for value in ("True", "False"))
        case ast.Constant(value=bool() as value):
            yield Change(*source.span(node), str(not value))
        case ast.Constant(value=int()):
            start, end = source.span(node)
            yield from (Change(start, end, other) for other in other_numbers(source.text[start:end]))
        case ast.Constant(value=str() as value):
            start, end = source.span(node)
            if value.startswith(_NETWORK_ORDER):
                yield Change(start, end, source.text[start:end].replace(_NETWORK_ORDER, "<"))
            yield from (Change(start + 1, end - 1, other) for other in swapped(value))
        case ast.Name(id=name):
            yield from (Change(*source.span(node), other) for other in _neighbours(name, families))
        case ast.Attribute(attr=name):
            end = source.span(node)[1]
            yield from (Change(end - len(name), end, other) for other in swapped(name))
        case ast.Return(value=ast.expr() as value):
            yield Change(*source.span(value), "[]")
        case ast.Tuple(elts=elements) if all(isinstance(one, ast.Name) and one.id.isupper() for one in elements):
            if isinstance(node.ctx, ast.Load):
                ends = [(source.span(one), source.span(two)) for one, two in pairwise(elements)]
                yield from (Change(one[0], two[0], "") for one, two in ends)
                yield from (Change(one[1], two[1], "") for one, two in ends[-1:])


def _between(source: _Source, operands: list[ast.expr]) -> Iterator[Change]:
    for one, two in pairwise(operands):
        start, end = source.span(one)[1], source.span(two)[0]
        found = _SIGN.search(source.text, start, end)
        if found is not None:
            yield from (Change(found.start(), found.end(), other) for other in _OTHER_SIGNS.get(found[0], []))


def _neighbours(name: str, families: list[list[str]]) -> list[str]:
    """The next constant of those that are declared together."""
    family = next((one for one in families if name in one and name.isupper()), [])
    return [family[(family.index(name) + 1) % len(family)]] if len(family) > 1 else []


def _statements(source: _Source, node: ast.AST) -> Iterator[Change]:
    """A statement that is not there."""
    for field in ("body", "orelse") if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.If | ast.For | ast.AsyncFor) else ():
        for statement in getattr(node, field, []):
            is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return) and not is_docstring:
                yield Change(*source.span(statement), "pass")
