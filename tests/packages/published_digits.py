"""The checksums of `make run` that docs/timing.md publishes."""

from __future__ import annotations

import re

from tests.harness.switches import REPOSITORY

LINE = re.compile(r"\(samples:\s+(.*?)\)", re.DOTALL)


def published() -> dict[str, str]:
    """The checksum of each scheme's samples."""
    found = LINE.search((REPOSITORY / "docs" / "timing.md").read_text())
    assert found is not None
    return dict(re.findall(r"(\w+)\s+([0-9a-f]{16})", found[1]))
