"""README's table, and the checksums in docs/timing.md, are those of ``make run``; ``make readme-digits`` writes them anew."""

from __future__ import annotations

import warnings

import pytest

from common.errors import UserError
from tests.virtual_time.readme_digits import Digits, Pages, measured


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Digits:
    return measured(tmp_path_factory.mktemp("readme"))


def test_pages_show_what_a_run_gives(now: Digits) -> None:
    shown = Digits.in_pages(Pages.read())
    if shown.inputs != now.inputs:
        warnings.warn(f"the pages' digits are of {shown.inputs}, and these of {now.inputs}: not compared", stacklevel=1)
        return
    assert (shown.table, shown.samples) == (now.table, now.samples), "`make readme-digits` writes those of now"


def test_digits_can_be_put_into_the_pages_and_found_there(now: Digits) -> None:
    pages = Pages.read()
    assert Digits.in_pages(now.put_into(pages)) == now
    other = Digits(now.table.replace("nodectl", "nobody"), "kernel 0123456789ab and userland ba9876543210", "reno 0123456789abcdef")
    assert Digits.in_pages(other.put_into(pages)) == other


def test_a_page_without_its_digits_is_refused() -> None:
    pages = Pages.read()
    with pytest.raises(UserError, match=r"README\.md lacks the table"):
        Digits.in_pages(Pages("# Nodectl testbed\n", pages.checksums))
    with pytest.raises(UserError, match=r"timing\.md lacks the checksums"):
        Digits.in_pages(Pages(pages.readme, "# Virtual time\n"))
