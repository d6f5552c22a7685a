"""Expressions in scenario files: a string that begins with ``=`` is computed from the grid's variables, ``"= rtt_ms / 2 - 10"``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simpleeval import EvalWithCompoundTypes, InvalidExpression

MARK = "="


def is_expression(value: object) -> bool:
    """Whether a value of a file is to be computed."""
    return isinstance(value, str) and value.startswith(MARK)


def evaluate(text: str, variables: Mapping[str, Any]) -> Any:
    """The value of one expression: arithmetic, comparisons, ``a if b else c``, lists, dictionaries, ``min``, ``max``, ``round``.

    Args:
        text: with or without the mark ``=``.
        variables: what names stand for.

    Raises:
        ValueError: it cannot be computed; with the reason.
    """
    computer = EvalWithCompoundTypes(names=dict(variables), functions={"min": min, "max": max, "round": round, "abs": abs, "int": int})
    try:
        return computer.eval(text.removeprefix(MARK).strip())
    except (InvalidExpression, SyntaxError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{text!r} cannot be computed: {error}") from None


def resolved(value: Any, variables: Mapping[str, Any]) -> Any:
    """A part of a file with every expression in it replaced by its value.

    Raises:
        ValueError: one cannot be computed; the message says where it stands.
    """
    if isinstance(value, Mapping):
        return {key: _at(key, part, variables) for key, part in value.items()}
    if isinstance(value, list):
        return [_at(str(position), part, variables) for position, part in enumerate(value)]
    return evaluate(value, variables) if is_expression(value) else value


def _at(key: str, part: Any, variables: Mapping[str, Any]) -> Any:
    try:
        return resolved(part, variables)
    except ValueError as error:
        where, separator, what = str(error).partition(": ")
        nested = separator and not where.startswith("'")
        raise ValueError(f"{key}.{where}: {what}" if nested else f"{key}: {error}") from None
