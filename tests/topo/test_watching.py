"""A testbed on a system that does not let processors be watched."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from topo import testbed as testbed_module


def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *command: str) -> testbed_module.Testbed:
    """A testbed of which only the watching is up, by another command."""
    monkeypatch.setattr(testbed_module, "watch_command", lambda _file: command)
    testbed = testbed_module.Testbed(cast(Any, None), testbed_module.TestbedOptions(tmp_path, {}))
    testbed.janitor = cast(Any, SimpleNamespace(watch_process=lambda _pid: None))
    with contextlib.ExitStack() as cleanup:
        testbed._watch_processors(cleanup)
    return testbed


def test_it_goes_on_without_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        testbed = watched(tmp_path, monkeypatch, "sh", "-c", "echo Operation not permitted >&2; exit 1")
    assert testbed.standstills_file is None
    assert "when processors stand still will not be known" in caplog.text
    assert "Operation not permitted" in caplog.text


def test_otherwise_there_is_a_file_of_standstills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    testbed = watched(tmp_path, monkeypatch, "sh", "-c", """echo '{"event": "ready"}'; cat""")
    assert testbed.standstills_file == tmp_path / "standstills.csv"
