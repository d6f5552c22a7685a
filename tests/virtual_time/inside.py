"""For tests that run something in virtual time."""

from __future__ import annotations

import pytest

from virtual_time.session import explain_missing

needs_virtual_time = pytest.mark.skipif(explain_missing() is not None, reason=f"no virtual time: {explain_missing()}")
