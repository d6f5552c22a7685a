"""The page beside a prompt in virtual time in Debian's Chromium: all that has happened is shown while the clock stands still."""

from __future__ import annotations

from tests.harness.long_tests import only_long
from tests.view.live.browser import chromium, until, window
from tests.view.live.test_page_beside_prompt import page_beside_command
from tests.virtual_time.inside import needs_virtual_time

pytestmark = [only_long, needs_virtual_time]

HITS = "[...document.querySelectorAll('#program-tables .kept')].map((one) => one.querySelector('caption').textContent).join()"


def test_what_a_line_has_done_is_shown_before_the_next_one() -> None:
    # When the prompt is over the server goes, and says so before.
    with chromium() as browser, page_beside_command("cli") as one, window(browser, one.url, expected="ERR_") as page:
        one.type("h1 ping -c 2 h2")
        until(page, f"{HITS}.includes('ipv4_lpm 2 entries of 1 024, 4 hits')")
        one.type("trace s1 icmp count 2")
        one.type("h1 ping -c 1 h2")
        until(page, f"{HITS}.includes('6 hits')")
        page.keyboard.press("k")
        until(page, "document.querySelectorAll('#journeys li').length === 2 && document.querySelector('#source .reached')")
        assert "ICMP h2 → h1" in page.text_content("#journeys .chosen"), "the last one"
        one.type("exit")
        until(page, "page.run.isOver && document.getElementById('state').textContent.includes('replay')")
