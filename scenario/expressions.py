"""Expressions in scenario files: a string that begins with ``=`` is computed from the grid's variables, ``"= rtt_ms / 2 - 10"``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from simpleeval import EvalWithCompoundTypes, InvalidExpression

MARK = "="


class ExpressionError(ValueError):
    """An expression that cannot be computed; ``place`` is where it stands, outermost key first."""

    def __init__(self, text: str, reason: object, place: tuple[str, ...] = ()) -> None:
        super().__init__(f"{'.'.join(place)}: {text!r} cannot be computed: {reason}" if place else f"{text!r} cannot be computed: {reason}")
        self.text, self.reason, self.place = text, reason, place

    def inside(self, key: str) -> ExpressionError:
        """The same, seen from outside of ``key``."""
        return ExpressionError(self.text, self.reason, (key, *self.place))


def is_expression(value: object) -> bool:
    """Whether a value of a file is to be computed."""
    return isinstance(value, str) and value.startswith(MARK)


def evaluate(text: str, variables: Mapping[str, Any]) -> Any:
    """The value of one expression: arithmetic, comparisons, ``a if b else c``, lists, dictionaries, ``min``, ``max``, ``round``.

    Args:
        text: with or without the mark ``=``.
        variables: the values of names.

    Raises:
        ExpressionError: it cannot be computed; with the reason.
    """
    functions = {"min": min, "max": max, "round": round, "abs": abs, "int": int}
    computer = EvalWithCompoundTypes(names=dict(variables), functions=functions)
    try:
        words = text.removeprefix(MARK).strip()
        return computer.eval(words, _parsed(words))
    except (InvalidExpression, SyntaxError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise ExpressionError(text, f"no entry {error}" if isinstance(error, LookupError) else error) from None


@lru_cache(maxsize=4096)
def _parsed(words: str) -> ast.AST:
    """Rules of claims are computed for hundreds of bootstrap samples each."""
    parsed: ast.AST = EvalWithCompoundTypes.parse(words)
    return parsed


def resolved(value: Any, variables: Mapping[str, Any]) -> Any:
    """A part of a file with every expression in it replaced by its value.

    Raises:
        ExpressionError: one cannot be computed; the message says where it stands.
    """
    if isinstance(value, Mapping):
        return dict(_parts(value.items(), variables))
    if isinstance(value, list):
        return [part for _, part in _parts(((str(number), part) for number, part in enumerate(value)), variables)]
    return evaluate(value, variables) if is_expression(value) else value


def _parts(items: Iterable[tuple[str, Any]], variables: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for key, part in items:
        try:
            yield key, resolved(part, variables)
        except ExpressionError as error:
            raise error.inside(key) from None
