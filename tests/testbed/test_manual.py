"""The manual page has every command and option, and man can show it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from testbed.command_line.app import app
from testbed.command_line.manual import page


def shown(file: Path) -> str:
    """The page as man shows it, in one line."""
    environment = {**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"}
    done = subprocess.run(["man", "--warnings", "-l", file], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return " ".join(re.sub(".\x08", "", done.stdout).split())


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed: the page is NOT shown")
def test_man_shows_every_command_and_option(tmp_path: Path) -> None:
    file = tmp_path / "man" / "testbed.1"
    done = CliRunner().invoke(app, ["man", "--out", str(file)])
    assert done.exit_code == 0
    assert "man -l" in done.output
    text = shown(file)
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        assert f" {name} " in text
        assert " ".join(command.help.split()) in text
        for one in command.params:
            if one.param_type_name == "option":
                assert all(spelling in text for spelling in [*one.opts, *one.secondary_opts])


def test_no_word_of_a_help_is_a_request_to_roff() -> None:
    requests = {line.split(" ")[0] for line in page(app).splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".nh", ".ad", ".SH", ".SS", ".TP", ".B", ".BR"}
