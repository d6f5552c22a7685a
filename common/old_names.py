"""Commands that have another name now: whoever types the old one is told."""

from __future__ import annotations

from typing import NoReturn

from common.errors import UserError


def refuse(old: str, *new: str) -> NoReturn:
    """Raises UserError, which names the new ones."""
    raise UserError(f"python -m {old} has another name", "it is " + " or ".join(f"python -m {one}" for one in new))
