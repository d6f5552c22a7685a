"""A grader's run: a hand-in costs only itself, whatever it does, and gets a clear line about that."""

from __future__ import annotations

import csv
import os
import re
import socket
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from common.errors import UserError
from common.installation import PROJECT
from labs.catalogue import lab_numbered
from labs.grade import sandbox
from labs.grade.grading import CHECKED, ENDED, NOT_HANDED_IN, Grade, Grading
from labs.grade.handed_in import copy_files, hand_ins
from labs.grade.limits import MEGABYTE, Limits
from labs.grade.report import leaders, write_csv, write_page
from tests.harness.long_tests import LONG, only_long
from tests.harness.sandbox import require_sandbox
from tests.harness.switches import binaries
from tests.harness.waiting import wait_for

pytestmark = pytest.mark.alone

SOLUTION = PROJECT / "labs" / "05-lists" / "solution" / "controller.py"
LIMITS = Limits(time_s=20, memory_bytes=600 * MEGABYTE, disk_bytes=64 * MEGABYTE, processes=60, output_bytes=MEGABYTE)

FIRST_USER = sandbox.FIRST_USER + sandbox.USERS
"""A grader that runs meanwhile has other users."""

KILLED_WITHIN_S = 20.0
"""A sandbox's programs end with it, but have to give back their memory first."""

FORGES = """
import os
for number in range(3, 30):
    for process in os.listdir("/proc"):
        try:
            os.write(os.open(f"/proc/{process}/fd/{number}", os.O_WRONLY), b'{"lab": 5}')
        except OSError:
            pass
"""

NASTY = {
    "loops": "while True:\n    pass\n",
    "forks": "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n",
    "fills-disk": "f = open('/tmp/full', 'wb')\nwhile True:\n    f.write(bytes(1 << 20))\n",
    "fills-memory": "kept = []\nwhile True:\n    kept.append(bytearray(b'x' * (1 << 24)))\n",
    "prints": "import sys\nwhile True:\n    sys.stdout.write('x' * 1000)\n",
    "prints-errors": "import sys\nwhile True:\n    sys.stderr.write('x' * 1000)\n",
    "deletes": "import shutil\nshutil.rmtree('{project}/labs', ignore_errors=True)\nshutil.rmtree('/hand-in', ignore_errors=True)\n",
    "network": "import socket\nsocket.create_connection(('{address}', {port}), timeout=5)\n",
    "crashes": "import ctypes\nctypes.string_at(0)\n",
    "kills": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n",
    "reads-solution": "exec(open('{solution}').read())\n",
    "reads-others": "import os\nos.listdir('{hand_ins}')\n",
    "reads-outside": "open('{outside}').read()\n",
    "forges": FORGES,
}
"""A controller each, for lab 5."""

ENDLESS = ("loops", "forks", "prints", "prints-errors")
"""They reach any limit on time."""

SHORT_S = 3
"""Their limit."""

LIKE_OTHERS = () if LONG else ("loops", "prints-errors")
"""Each takes its whole limit, and is only among them where long tests are."""


@pytest.fixture(scope="module", autouse=True)
def _possible() -> None:
    if not (binaries() / "p4sim").exists():
        pytest.skip(f"the embedded toolchain is not built ({binaries() / 'p4sim'} is missing): run `make setup`")
    require_sandbox()


def handed_in(folder: Path, controllers: Mapping[str, str]) -> Path:
    for name, text in controllers.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "controller.py").write_text(text)
    return folder


def grades_of(folder: Path, limits: Limits = LIMITS) -> dict[str, Grade]:
    return {one.hand_in: one for one in Grading(limits, with_runs=False, first_user=FIRST_USER).grade(hand_ins(folder), [lab_numbered(5)])}


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Grade]:
    """Nasty hand-ins among two good ones; a server stands by that none of them may reach."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        address, port = server.getsockname()
        folder = tmp_path_factory.mktemp("nasty") / "in"
        outside = folder.parent / "secret"
        outside.write_text("nothing that a hand-in may read")
        outside.chmod(0o644)
        filled = {
            name: text.replace("{project}", str(PROJECT)).replace("{solution}", str(SOLUTION)).replace("{hand_ins}", str(folder))
            .replace("{outside}", str(outside)).replace("{address}", address).replace("{port}", str(port))
            for name, text in NASTY.items()
            if name not in LIKE_OTHERS
        }  # fmt: skip
        good = {name: SOLUTION.read_text() for name in ("a-good-one", "z-good-one")}
        endless = {name: filled.pop(name) for name in ENDLESS if name in filled}
        found = grades_of(handed_in(folder, filled | good))
        found |= grades_of(handed_in(folder.with_name("endless"), endless), replace(LIMITS, time_s=SHORT_S))
        with pytest.raises(BlockingIOError):
            server.accept()
    return found


def test_good_hand_ins_are_not_harmed(grades: Mapping[str, Grade]) -> None:
    for name in ("a-good-one", "z-good-one"):
        assert (grades[name].state, grades[name].earned, grades[name].message) == (CHECKED, 16, "")
    assert SOLUTION.exists()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        pytest.param("loops", "no answer|took longer", marks=only_long),
        ("fills-disk", "No space left on device"),
        ("fills-memory", "MB of memory"),
        ("prints", "prints without end|no answer|took longer"),
        pytest.param("prints-errors", "no answer|took longer", marks=only_long),
        ("deletes", "has no attribute 'serve'"),
        ("network", "Connection refused"),
        ("crashes", "exit code -11"),
        ("kills", "without a result"),
        ("reads-solution", "FileNotFoundError"),
        ("reads-others", "FileNotFoundError"),
        ("reads-outside", "FileNotFoundError"),
        ("forges", "its answer is none|has no attribute 'serve'"),
    ],
)
def test_a_nasty_hand_in_costs_only_itself(name: str, says: str, grades: Mapping[str, Grade]) -> None:
    assert re.search(says, grades[name].message)
    assert grades[name].earned == 0


def test_one_that_forks_without_end_is_ended(grades: Mapping[str, Grade]) -> None:
    assert grades["forks"].earned == 0
    assert grades["forks"].message


def test_nothing_of_them_goes_on(grades: Mapping[str, Grade]) -> None:
    assert len(grades) == len(NASTY) - len(LIKE_OTHERS) + 2

    def running() -> list[Path]:
        return [folder for folder in Path("/proc").iterdir() if folder.name.isdigit() and _is_a_hand_ins(folder)]

    wait_for(lambda: f"these to end: {running()}", lambda: not running(), KILLED_WITHIN_S)


def _is_a_hand_ins(process: Path) -> bool:
    try:
        return os.geteuid() == 0 and FIRST_USER <= process.stat().st_uid < FIRST_USER + len(NASTY) + 2
    except OSError:
        return False


def test_it_is_what_the_kernel_ends_first_where_memory_runs_out() -> None:
    ended = sandbox.run(
        ["cat", "/proc/self/oom_score_adj"],
        sandbox.FileSystem({}),
        LIMITS,
        user=FIRST_USER,
        processor=min(os.sched_getaffinity(0)),
        environment={"PATH": "/usr/bin:/bin"},
        folder=Path("/"),
    )
    assert ended.said == str(sandbox.MOST_EXPENDABLE)


def test_a_limit_on_time_ends_it(tmp_path: Path) -> None:
    text = "import finsy, time\n\nasync def serve(switch, capacities):\n    time.sleep(1000)\n"
    grade = grades_of(handed_in(tmp_path, {"sleeps": text}), Limits(time_s=4))["sleeps"]
    assert (grade.state, grade.message) == (ENDED, "it took longer than 4 s")


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "large"])
def test_only_plain_files_are_taken(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "in"
    place.mkdir()
    file = place / "controller.py"
    match kind:
        case "link":
            file.symlink_to("/etc/passwd")
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case _:
            file.write_bytes(bytes(2 * MEGABYTE))
    assert copy_files(lab_numbered(5), place, tmp_path / "out").startswith("controller.py ")


def test_a_hand_in_may_be_a_whole_tree(tmp_path: Path) -> None:
    for inside in ("", "05-lists", "labs/05-lists"):
        place = tmp_path / (inside.replace("/", "-") or "flat") / inside
        place.mkdir(parents=True)
        (place / "controller.py").write_text("")
    assert all(one.place_of(lab_numbered(5)) is not None for one in hand_ins(tmp_path))
    (tmp_path / "empty").mkdir()
    grading = Grading(LIMITS, with_runs=False)
    assert grading.grade([one for one in hand_ins(tmp_path) if one.name == "empty"], [lab_numbered(5)])[0].state == NOT_HANDED_IN


def test_a_folder_without_hand_ins_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no sub-folders"):
        hand_ins(tmp_path)


def test_names_and_messages_are_no_more_than_text(tmp_path: Path) -> None:
    grades = [
        Grade("=1+1", 7, CHECKED, 20, 20, "", {"open": 1.0, "hidden": 0.5}),
        Grade("<script>", 7, CHECKED, 17, 20, "<b>\n@x", {"open": 3.0, "hidden": 2.0}),
        Grade("none", 7, ENDED, message="it took longer than 4 s"),
    ]
    write_csv(grades, tmp_path / "grades.csv")
    write_page(grades, tmp_path / "grades.html")
    with (tmp_path / "grades.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["hand_in"] for row in rows] == ["'=1+1", "<script>", "none"]
    assert rows[1]["score_hidden"] == "2.000000"
    page = (tmp_path / "grades.html").read_text()
    assert "<script>" not in page
    assert "<b>" not in page
    assert [one.hand_in for one, _ in leaders(grades)] == ["<script>", "=1+1"]
    assert page.index("&lt;script&gt;") < page.index("=1+1")
