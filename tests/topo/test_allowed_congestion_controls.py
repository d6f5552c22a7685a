"""Congestion controls that hosts may have as their default: all of the kernel's during a run, as before afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from topo.allowed_congestion_controls import all_congestion_controls_allowed


@pytest.fixture
def parameters(tmp_path: Path) -> Path:
    """A kernel that has three, and allows two."""
    (tmp_path / "tcp_available_congestion_control").write_text("reno bbr cubic\n")
    (tmp_path / "tcp_allowed_congestion_control").write_text("reno bbr\n")
    return tmp_path


def test_all_are_allowed_inside_the_block(parameters: Path) -> None:
    file = parameters / "tcp_allowed_congestion_control"
    told: list[tuple[Path, str]] = []
    with all_congestion_controls_allowed(lambda *what: told.append(what), parameters):
        assert file.read_text() == "reno bbr cubic"
    assert file.read_text() == "reno bbr"
    assert told == [(file, "reno bbr")]


def test_nothing_changes_where_all_are(parameters: Path) -> None:
    file = parameters / "tcp_allowed_congestion_control"
    file.write_text("cubic bbr reno\n")
    told: list[tuple[Path, str]] = []
    with all_congestion_controls_allowed(lambda *what: told.append(what), parameters):
        assert file.read_text() == "cubic bbr reno\n"
    assert (file.read_text(), told) == ("cubic bbr reno\n", [])


def test_a_container_that_has_no_such_parameter(tmp_path: Path) -> None:
    with all_congestion_controls_allowed(parameters=tmp_path):
        pass
    assert not list(tmp_path.iterdir())
