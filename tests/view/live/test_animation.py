"""The animation of a run for README and the site's first page: small, and long enough to show who joins."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY
from tests.view.live.browser import chromium
from tests.view.recording.synthetic_run import SyntheticRun, dumbbell
from view.live.animation import MOST_BYTES, STEP_S, animate

KEPT = REPOSITORY / "docs" / "pictures" / "live-page.gif"


def test_the_kept_one_is_small_and_moves() -> None:
    assert KEPT.stat().st_size < MOST_BYTES
    with Image.open(KEPT) as picture:
        assert getattr(picture, "n_frames", 1) > 20 / STEP_S


@only_long
@pytest.mark.timeout(300)
def test_a_run_is_filmed(tmp_path: Path) -> None:
    with chromium():
        pass
    run = SyntheticRun(tmp_path / "run", dumbbell())
    run.whole()
    assert 0 < animate(tmp_path / "run", tmp_path / "run.gif") < MOST_BYTES
