"""The same digits wherever and whenever, and whatever else goes on: samples of a short run, compared by their checksums."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from scenario.run_request import EMBEDDED
from tests.harness.bmv2_switch import bmv2_or_skip
from tests.harness.long_tests import only_long
from tests.virtual_time.checkout_copy import PROJECT, copy_of_checkout
from tests.virtual_time.checksums import UNMASKED
from tests.virtual_time.identity import SCENARIO, Checksums, measured, temporary_folder, with_cubic_alone
from tests.virtual_time.inside import needs_virtual_time
from topo.toolchain import BMV2
from virtual_time.file_system.shared_libraries import needed_libraries
from virtual_time.file_system.userland import LIBRARY_FOLDERS

pytestmark = [needs_virtual_time, pytest.mark.timeout(600)]

CHECKSUMS = [Path(__file__).with_name("checksums.py"), SCENARIO]
NOBODY = 65534
BUSY_LOOPS = 4
AGAIN = 3


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


@only_long
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
def test_at_another_date(reference: Checksums) -> None:
    if shutil.which("faketime") is None:
        pytest.skip("faketime is not installed: another date is NOT tested")
    assert measured(prefix=["faketime", "2031-03-05 10:11:12"], environment={"DONT_FAKE_MONOTONIC": "1"}) == reference


@only_long
def test_wherever_bmv2_is_installed() -> None:
    installed = bmv2_or_skip()
    with temporary_folder() as folder:
        for name in ("bin", "lib"):
            (folder / name).mkdir()
        shutil.copy2(installed, folder / "bin")
        for library in needed_libraries([installed]):
            if not any(map(library.is_relative_to, LIBRARY_FOLDERS)):
                shutil.copy2(library, folder / "lib")
        elsewhere = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(folder / "lib")}
        toolchain = (BMV2, EMBEDDED)
        assert measured(toolchain=toolchain, environment=elsewhere) == measured(toolchain=toolchain)


@only_long
def test_schemes_do_not_depend_on_each_other(reference: Checksums, tmp_path: Path) -> None:
    assert measured(scenario=with_cubic_alone(tmp_path)) == {"linux:cubic": reference["linux:cubic"]}


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
