"""``python -m tests.architecture``: draw the pictures of docs/architecture.md anew; a new arrow is then a line of the diff."""

from __future__ import annotations

from common.command_end import end_with
from tests.architecture.page import PAGE, pictures, with_pictures


def main() -> None:
    """Write the page."""
    PAGE.write_text(with_pictures(PAGE.read_text("utf-8"), pictures()), "utf-8")


if __name__ == "__main__":
    end_with(main)
