"""A grader's run in networks: each hand-in in kernels of its own, hostile ones between good ones. All of it takes minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.catalogue import Lab, lab_numbered
from labs.check.contest import HIDDEN, OPEN
from labs.grade import sandbox
from labs.grade.grading import CHECKED, ENDED, Grade, Grading
from labs.grade.handed_in import hand_ins
from labs.grade.limits import Limits
from labs.grade.report import leaders
from tests.harness.long_tests import only_long
from tests.harness.sandbox import require_sandbox
from virtual_time.session import explain_missing

pytestmark = [only_long, pytest.mark.timeout(1500)]

FIRST_USER = sandbox.FIRST_USER + sandbox.USERS + 100
"""A grader that runs meanwhile has other users, and so have the tests without networks."""

GROWS = "	if (!is_window_limited(tp))\n		return;\n"
"""In the solution's AIMD. Hostile code stands before it, in the kernel alone: the checks without packets find nothing."""

SYSTEM_CALL = """
	long answer;
	register long second asm("rsi") = {second};

	for (;;)
		asm volatile("syscall" : "=a"(answer) : "a"({number}), "D"({first}), "r"(second) : "rcx", "r11", "memory");
"""
"""To the system of the machine outside: a user-mode kernel is a process of it."""

HOSTILE = {
    "loops": '	for (;;)\n		asm volatile("");\n',
    "panics": '	panic("no");\n',
    "writes-wildly": "	for (volatile char *place = (char *)&jiffies - (1 << 20); ; place++)\n		*place = 0x5a;\n",
    "kills-all": SYSTEM_CALL.format(number=62, first=-1, second=9),
    "forks-outside": SYSTEM_CALL.format(number=57, first=0, second=0),
}
"""Code that a congestion control of lab 7 runs in the kernel as soon as a packet is acknowledged."""


@pytest.fixture(autouse=True)
def _possible() -> None:
    require_sandbox()
    if (missing := explain_missing()) is not None:
        pytest.skip(f"no virtual time: {missing}")


def hand_in(lab: Lab, folder: Path, **texts: str) -> None:
    """A sub-folder with a solution, of which some files have other texts."""
    folder.mkdir(parents=True)
    for name, file in lab.solution.items():
        (folder / name).write_text(texts.get(name.partition(".")[0], file.read_text()))


def graded(folder: Path, lab: Lab, grading: Grading) -> dict[str, Grade]:
    return {one.hand_in: one for one in grading.grade(hand_ins(folder), [lab])}


def test_a_hostile_kernel_module_costs_only_its_own_hand_in(tmp_path: Path) -> None:
    lab = lab_numbered(7)
    good = lab.solution["aimd.bpf.c"].read_text()
    assert good.count(GROWS) == 1
    for name, statement in HOSTILE.items():
        hostile = good.replace(GROWS, f"#ifdef __KERNEL__\n	{{\n{statement}	}}\n#endif\n{GROWS}")
        hand_in(lab, tmp_path / "in" / name, aimd=hostile)
    # The good one comes last, when all others have done their worst.
    hand_in(lab, tmp_path / "in" / "z-good-one")
    limits = Limits(time_s=240, processor_s=40)
    grades = graded(tmp_path / "in", lab, Grading(limits, kept=tmp_path / "kept", first_user=FIRST_USER))
    for name in HOSTILE:
        one = grades[name]
        assert (one.state == ENDED and one.message) or (one.state == CHECKED and "the run has no result" in one.message), one
        assert "error:" not in one.message, "it compiles, and does its worst when it runs"
    assert (grades["z-good-one"].state, grades["z-good-one"].message, grades["z-good-one"].earned) == (CHECKED, "", 20)


def test_the_leader_board_is_of_real_runs(tmp_path: Path) -> None:
    """Of two entries for the contest the better one leads, on traces that they have never seen; reno's runs are measured once for all."""
    lab = lab_numbered(7)
    hand_in(lab, tmp_path / "in" / "keeps-four")
    mine = lab.solution["mine.bpf.c"].read_text()
    hand_in(lab, tmp_path / "in" / "keeps-forty", mine=mine.replace("#define QUEUED 4", "#define QUEUED 40"))
    grades = graded(tmp_path / "in", lab, Grading(hidden_seed=4711, kept=tmp_path / "kept", first_user=FIRST_USER))
    assert [one.message for one in grades.values()] == ["", ""]
    assert all({OPEN, HIDDEN} <= one.scores.keys() for one in grades.values())
    assert [one.hand_in for one, _ in leaders(list(grades.values()))] == ["keeps-four", "keeps-forty"]


def test_thirty_at_once(tmp_path: Path) -> None:
    """All are checked in networks too, as many side by side as there are processors, and hostile ones between them change nothing."""
    lab = lab_numbered(1)
    good = lab.solution["router.p4"].read_text()
    hostile = {
        "10-resubmits": good.replace("        if (hdr", "        resubmit_preserving_field_list(0);\n        if (hdr", 1),
        "20-includes": good.replace("#include <core.p4>", '#include "/etc/passwd"\n#include <core.p4>'),
    }
    for number in range(28):
        hand_in(lab, tmp_path / "in" / f"{number:02}-good")
    for name, program in hostile.items():
        assert program != good
        hand_in(lab, tmp_path / "in" / name, router=program)
    grades = graded(tmp_path / "in", lab, Grading(kept=tmp_path / "kept", first_user=FIRST_USER))
    assert len(grades) == 30
    assert {(one.state, one.message, one.earned) for name, one in grades.items() if name not in hostile} == {(CHECKED, "", 20)}
    assert all(grades[name].earned == 0 and grades[name].message for name in hostile)
