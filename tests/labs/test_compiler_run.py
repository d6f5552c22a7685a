"""A compiler over a hand-in ends by processor time, whatever the clock says, and by the clock if it sleeps."""

from __future__ import annotations

import sys

import pytest

from labs.check.compiler_run import run_compiler
from labs.check.vocabulary import Failed


@pytest.mark.parametrize(
    ("program", "says"), [("while True: pass", "within 1 s of processor time"), ("import time; time.sleep(60)", "within 2 s")]
)
def test_a_compiler_that_does_not_end(program: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labs.check.compiler_run.COMPILE_S", 1)
    monkeypatch.setattr("labs.check.compiler_run.PATIENCE_S", 20 if "while" in program else 2)
    with pytest.raises(Failed, match=f"mine.p4: the compiler has not come to an end {says}"):
        run_compiler([sys.executable, "-c", program], "mine.p4")


def test_what_it_says_and_its_exit_code() -> None:
    result = run_compiler([sys.executable, "-c", "import sys; sys.exit('no')"], "mine.p4")
    assert (result.returncode, result.stderr) == (1, "no\n")
