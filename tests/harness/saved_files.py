"""``python -m tests.harness.saved_files PAGE``: save the files of a page of docs/ in this folder, as its reader does."""

from __future__ import annotations

import argparse
from pathlib import Path

from common.command_end import end_with
from tests.harness.checkout_page import save
from tests.harness.pages import Page


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.harness.saved_files", description="Save the files of a page in this folder.")
    parser.add_argument("page", help="below docs/, e.g. tutorial/own-scenario.md")
    save(Page(parser.parse_args().page).blocks(), Path())


if __name__ == "__main__":
    end_with(main)
