"""Parameters of the kernel's modules are set for a run and set back."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from topo.kernel_parameters import kernel_parameters


def test_they_are_set_and_set_back(tmp_path: Path) -> None:
    file = tmp_path / "tcp_cubic" / "parameters" / "hystart"
    file.parent.mkdir(parents=True)
    file.write_text("1\n")
    watched: list[tuple[Path, str]] = []
    with kernel_parameters({"tcp_cubic.hystart": "0"}, lambda path, value: watched.append((path, value)), tmp_path):
        assert file.read_text() == "0"
    assert file.read_text() == "1"
    assert watched == [(file, "1")]


def test_what_the_kernel_does_not_have_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match=r"tcp_tahoe\.speed = 9: No such file"),
        kernel_parameters({"tcp_tahoe.speed": "9"}, modules=tmp_path),
    ):
        pass
