"""The clock inside stands still while the outside thinks about an answer, and while it has not yet noticed that there is a question."""

from __future__ import annotations

import pytest

from tests.virtual_time.inside import needs_virtual_time
from virtual_time import machine
from virtual_time.job import Job, Outside
from virtual_time.session import Session

pytestmark = needs_virtual_time

ASK = """import time
from virtual_time.question import Asker
asker = Asker()
begin_ns = time.monotonic_ns()
answers = [asker.ask(about=number) for number in range(3)]
print(f"{answers} took {time.monotonic_ns() - begin_ns} ns", flush=True)
"""


@pytest.mark.parametrize("notices_after_s", [0.01, 3.0])
def test_no_time_passes_however_late_a_question_is_noticed(monkeypatch: pytest.MonkeyPatch, notices_after_s: float) -> None:
    monkeypatch.setattr(machine, "LOOK_INTERVAL_S", notices_after_s)
    said: list[str] = []
    outside = Outside(on_text=said.append, on_question=lambda question: f"answer {question['number']}")
    assert Session.prepare().run(Job(["python3", "-c", ASK], seed=1), outside) == 0
    assert "['answer 1', 'answer 2', 'answer 3'] took 0 ns" in said
