"""``python -m tests.architecture``: draw the pictures of docs/architecture.md anew; a new arrow is then a line of the diff."""

from __future__ import annotations

from tests.architecture.page import PAGE, pictures, with_pictures

if __name__ == "__main__":
    PAGE.write_text(with_pictures(PAGE.read_text("utf-8"), pictures()), "utf-8")
