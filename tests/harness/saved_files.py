"""``python -m tests.harness.saved_files PAGE``: save the files of a page of docs/ in this folder, as its reader does."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.harness.checkout_page import save
from tests.harness.pages import Page

if __name__ == "__main__":
    save(Page(sys.argv[1]).blocks(), Path())
