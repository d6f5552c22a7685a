"""README's table is that of ``make run``: a changed digit is a line of a diff, made by ``make readme-digits``."""

from __future__ import annotations

import warnings

import pytest

from common.errors import UserError
from tests.virtual_time.readme_digits import README, Digits, measured


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Digits:
    return measured(tmp_path_factory.mktemp("readme"))


def test_readme_shows_what_a_run_gives(now: Digits) -> None:
    shown = Digits.in_readme(README.read_text(encoding="utf-8"))
    if shown.inputs != now.inputs:
        warnings.warn(f"README's digits are of {shown.inputs}, and these of {now.inputs}: not compared", stacklevel=1)
        return
    assert (shown.table, shown.samples) == (now.table, now.samples), "`make readme-digits` writes those of now"


def test_digits_can_be_put_into_the_page_and_found_there(now: Digits) -> None:
    text = README.read_text(encoding="utf-8")
    assert Digits.in_readme(now.put_into(text)) == now
    other = Digits(now.table.replace("nodectl", "nobody"), "kernel 0123456789ab and userland ba9876543210", "reno 0123456789abcdef")
    assert Digits.in_readme(other.put_into(text)) == other


def test_a_page_without_the_table_is_refused() -> None:
    with pytest.raises(UserError, match="are not there"):
        Digits.in_readme("# Nodectl testbed\n")
