"""The one exception for mistakes that a person can mend: it tells the mistake and its remedy."""

from __future__ import annotations

EXIT_CANNOT_RUN = 2
"""Exit code of every command that could not start its work (bad input, missing package, no privileges)."""


class UserError(Exception):
    """Something a person can mend. Commands print it without a traceback and exit with ``EXIT_CANNOT_RUN``.

    Args:
        what: the mistake and its place, one line (or one line a problem).
        remedy: how to mend it, if that is not plain from ``what``.
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what if not remedy else f"{what}\n  {remedy}")
        self.what = what
        self.remedy = remedy
