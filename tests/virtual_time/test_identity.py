"""The same digits wherever and whenever, and whatever else goes on: samples of a short run, compared by their checksums."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.harness.long_tests import only_long
from tests.virtual_time.checkout_copy import PROJECT, copy_of_checkout
from tests.virtual_time.checksums import UNMASKED
from tests.virtual_time.inside import needs_virtual_time

pytestmark = [needs_virtual_time, pytest.mark.timeout(600)]

SCENARIO = Path(__file__).with_name("identity.toml")
PROGRAM = "tests.virtual_time.checksums"
CHECKSUMS = [Path(__file__).with_name("checksums.py"), SCENARIO]
NOBODY = 65534
BUSY_LOOPS = 4
AGAIN = 3
Checksums = dict[str, dict[str, str]]


def measured(
    *,
    scenario: Path = SCENARIO,
    project: Path = PROJECT,
    prefix: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    umask: int = 0o022,
    owner: int | None = None,
) -> Checksums:
    """The checksums of one run, by scheme."""
    with temporary_folder() as folder:
        if owner is not None:
            os.chown(folder, owner, owner)
        done = subprocess.run(
            [*prefix, sys.executable, "-m", PROGRAM, str(scenario), str(folder / "results")],
            cwd=project, env={"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), **(environment or {})},
            umask=umask, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        left = [one.name for one in folder.iterdir() if one.name.startswith("nodectl")]
        assert not left, "nothing is left in TMPDIR"
        found: Checksums = json.loads(done.stdout)
        return found


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """One that other users can reach, as those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="identity-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def busy(programs: int) -> Iterator[None]:
    """Programs that compute, beside it."""
    with ExitStack() as loops:
        for _ in range(programs):
            process = loops.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            loops.callback(process.kill)
        yield


@pytest.fixture(scope="module")
def reference() -> Checksums:
    return measured()


def test_beside_a_busy_loop(reference: Checksums) -> None:
    with busy(1):
        assert measured() == reference


@only_long
def test_many_times_beside_busy_loops(reference: Checksums) -> None:
    with busy(BUSY_LOOPS):
        assert [measured() for _ in range(AGAIN)] == [reference] * AGAIN


@only_long
def test_from_another_folder(reference: Checksums) -> None:
    with temporary_folder() as folder:
        longer = folder / "a folder with spaces and a name that is a good deal longer than that of the first"
        longer.mkdir()
        assert measured(project=copy_of_checkout(longer, CHECKSUMS), scenario=longer / SCENARIO.relative_to(PROJECT)) == reference


@only_long
def test_as_another_user(reference: Checksums) -> None:
    if os.geteuid() != 0:
        pytest.skip("not root: cannot become another user")
    if not all(above.stat().st_mode & stat.S_IXOTH for above in Path(sys.executable).parents):
        pytest.skip("other users cannot read this checkout")
    with temporary_folder() as folder:
        copy = copy_of_checkout(folder / "checkout", CHECKSUMS)
        for file in [folder, *folder.rglob("*")]:
            os.chown(file, NOBODY, NOBODY, follow_symlinks=False)
        prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
        assert measured(project=copy, scenario=copy / SCENARIO.relative_to(PROJECT), prefix=prefix, owner=NOBODY) == reference


@only_long
def test_in_other_surroundings(reference: Checksums) -> None:
    """Nothing that a process inherits matters: time zone, language, umask, limits, processors, variables."""
    limits = ["prlimit", "--nofile=512", "--stack=unlimited:unlimited", "--core=0"]
    one_processor = ["taskset", "--cpu-list", str(max(os.sched_getaffinity(0)))]
    surroundings = {
        "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "7", "COLUMNS": "40", "SEED": "5",
        "GLIBC_TUNABLES": "glibc.malloc.check=3", "OPENBLAS_NUM_THREADS": "7", "LONG": "x" * 50_000,
    }  # fmt: skip
    assert measured(prefix=[*limits, *one_processor], environment=surroundings, umask=0o077) == reference


@only_long
def test_schemes_do_not_depend_on_each_other(reference: Checksums, tmp_path: Path) -> None:
    alone = tmp_path / SCENARIO.name
    alone.write_text(SCENARIO.read_text().replace('["nodectl", "linux:cubic"]', '["linux:cubic"]'))
    assert measured(scenario=alone) == {"linux:cubic": reference["linux:cubic"]}


@only_long
def test_another_seed_is_another_run_that_can_be_repeated(reference: Checksums, tmp_path: Path) -> None:
    other = tmp_path / SCENARIO.name
    other.write_text(SCENARIO.read_text().replace("schema = 2\n", "schema = 2\nseed = 2\n"))
    first = measured(scenario=other)
    assert first == measured(scenario=other)
    assert all(first[scheme]["samples"] != reference[scheme]["samples"] for scheme in reference)


@only_long
def test_samples_do_not_depend_on_numpy_s_variants(reference: Checksums) -> None:
    """A new release of NumPy may have variants that its mask does not name."""
    assert measured(environment={UNMASKED: "1"}) == reference
