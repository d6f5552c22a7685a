"""Follows pages whose commands are typed in the checkout: their files and those that commands write are in a folder of the test's own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.harness.console import CONSOLE, commands_of, is_as_shown
from tests.harness.pages import Block
from tests.harness.switches import REPOSITORY

LIMIT_S = 600


def save(blocks: Iterable[Block], folder: Path) -> None:
    """Write the files of a page, each where the page says."""
    for block in blocks:
        if block.file:
            file = folder / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")


def type_commands(blocks: Iterable[Block], folder: Path) -> None:
    """Type the commands of consoles in a folder that looks like the checkout to them.

    Raises:
        AssertionError: one failed, or printed something else than is shown.
    """
    environment = folder / ".venv"
    if not environment.exists():
        environment.symlink_to(REPOSITORY / ".venv")
    words = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    for command in (command for block in blocks if block.language == CONSOLE for command in commands_of(block)):
        done = subprocess.run(
            ["bash", "-c", command.words], cwd=folder, env=words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=LIMIT_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"$ {command.words}\nended with status {done.returncode} and printed\n{done.stdout}"
        assert is_as_shown(done.stdout, command.shown), f"$ {command.words}\nprinted\n{done.stdout}\nand the page shows\n{command.shown}"
