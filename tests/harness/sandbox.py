"""Tests of hand-ins say so where there can be no sandbox."""

from __future__ import annotations

import pytest

from common.errors import UserError
from labs.grade import sandbox


def require_sandbox() -> None:
    """Skip the test, with the reason, where hand-ins can be kept in no sandbox."""
    try:
        sandbox.check_usable()
    except UserError as error:
        pytest.skip(f"hand-ins are NOT tested: {error}")
