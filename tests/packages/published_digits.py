"""The digits of `make run` that the pages publish."""

from __future__ import annotations

import re

from tests.virtual_time.readme_digits import CHECKSUMS, LEFT_OUT, TABLE, Pages


def published() -> dict[str, str]:
    """The checksum of each scheme's samples."""
    found = CHECKSUMS.search(Pages.read().checksums)
    assert found is not None
    return dict(re.findall(r"(\w+)\s+([0-9a-f]{16})", found[1]))


def published_rows() -> dict[str, list[str]]:
    """The cells of README's table, by scheme."""
    found = TABLE.search(Pages.read().readme)
    assert found is not None
    rows = [line.strip("| ").split(" | ") for line in found[0].splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def printed_rows(said: str) -> dict[str, list[str]]:
    """The same cells of the table that a run prints, by scheme.

    Args:
        said: all that it prints.
    """
    rows = [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in said.splitlines() if line.startswith(("│", "┃"))]
    left_out = next(row for row in rows if row[0] == "scheme").index(LEFT_OUT)
    return {row[0]: row[1:left_out] + row[left_out + 1 :] for row in rows if row[0] in published_rows()}
