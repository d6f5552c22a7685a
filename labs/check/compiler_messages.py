"""The messages of compilers, of P4 and of C, about a program that does not compile."""

from __future__ import annotations

from collections.abc import Sequence

ERROR = "error: "
"""Before the text of one, in both; folders may be called anything."""


def first_error(said: Sequence[str], exit_code: int) -> str:
    """The first line with an error; if there is none, the first of all, or the exit code."""
    return next((line for line in said if ERROR in line), said[0] if said else f"exit code {exit_code}").strip()
