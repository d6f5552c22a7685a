"""Congestion controls that hosts may have as their default: all of the kernel's during a run, as before afterwards."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

import pytest

from topo.allowed_congestion_controls import all_congestion_controls_allowed, allow


@pytest.fixture
def parameters(tmp_path: Path) -> Path:
    """A kernel that has three, and allows two."""
    (tmp_path / "tcp_available_congestion_control").write_text("reno bbr cubic\n")
    (tmp_path / "tcp_allowed_congestion_control").write_text("reno bbr\n")
    return tmp_path


def test_all_are_allowed_inside_the_block(parameters: Path) -> None:
    file = parameters / "tcp_allowed_congestion_control"
    told: list[Sequence[str]] = []
    with all_congestion_controls_allowed(told.append, parameters):
        assert file.read_text() == "reno bbr cubic"
    assert file.read_text() == "reno bbr"
    assert told == [["reno", "bbr"]]


def test_nothing_changes_where_all_are(parameters: Path) -> None:
    file = parameters / "tcp_allowed_congestion_control"
    file.write_text("cubic bbr reno\n")
    told: list[Sequence[str]] = []
    with all_congestion_controls_allowed(told.append, parameters):
        assert file.read_text() == "cubic bbr reno\n"
    assert (file.read_text(), told) == ("cubic bbr reno\n", [])


def test_a_control_that_goes_meanwhile_is_not_allowed_again(parameters: Path) -> None:
    file = parameters / "tcp_allowed_congestion_control"
    file.write_text("reno bbr of-another-run\n")
    with all_congestion_controls_allowed(parameters=parameters):
        pass
    assert file.read_text() == "reno bbr"


def test_a_control_that_goes_between_look_and_write(parameters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    available = parameters / "tcp_available_congestion_control"
    available.write_text("reno bbr of-another-run\n")
    write = Path.write_text

    def refuse_once(file: Path, value: str) -> int:
        if "of-another-run" in value:
            write(available, "reno bbr\n")
            raise FileNotFoundError(errno.ENOENT, "as Linux says of a control that it has no more")
        return write(file, value)

    monkeypatch.setattr(Path, "write_text", refuse_once)
    allow(["bbr", "of-another-run"], parameters)
    assert (parameters / "tcp_allowed_congestion_control").read_text() == "bbr"


def test_a_container_that_has_no_such_parameter(tmp_path: Path) -> None:
    with all_congestion_controls_allowed(parameters=tmp_path):
        pass
    assert not list(tmp_path.iterdir())
