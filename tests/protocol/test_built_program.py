"""Programs that are not built: after `make run` alone, most are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.built_program import built_program
from common.errors import UserError


def test_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "p4test").touch()
    assert built_program("p4test", tmp_path) == tmp_path / "p4test"


def test_one_that_is_not_built_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"^not built yet: {tmp_path}/p4sim\n  run `make setup`$"):
        built_program("p4sim", tmp_path)
