"""Clients of others, unmodified, in processes and virtual environments of their own (`make test-clients` makes those)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.p4runtime.conftest import Pair, Program

REPOSITORY = Path(__file__).parents[2]
CLIENTS = Path(__file__).parent / "clients"
ENVIRONMENTS = REPOSITORY / ".venv-clients"
TIMEOUT_S = 120


def tool(environment: str, name: str) -> str:
    """A program of one of the environments."""
    path = ENVIRONMENTS / environment / "bin" / name
    if not path.exists():
        pytest.skip(f"the clients are not installed ({path.relative_to(REPOSITORY)} is missing): run `make test-clients`")
    return str(path)


def run(*command: str, directory: Path) -> str:
    """Run a client and return its output."""
    # The generated code of the bindings is older than the C implementation of protobuf allows.
    environment = {**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python", "PYTHONPATH": ""}
    result = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_bindings_and_a_controller_by_hand(pair: Pair, program: Program, tmp_path: Path) -> None:
    python = tool("shell", "python")
    files = (str(program.p4info_path), str(program.json_path))
    assert "P4Runtime 1." in run(python, str(CLIENTS / "bindings.py"), *pair.addresses, *files, directory=tmp_path)


def test_p4runtime_shell(pair: Pair, program: Program, tmp_path: Path) -> None:
    python = tool("shell", "python")
    files = (str(program.p4info_path), str(program.json_path))
    assert "sessions" in run(python, str(CLIENTS / "shell.py"), pair.addresses[0], *files, directory=tmp_path)
