"""Short runs as programs of their own, and the checksums of their samples."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.virtual_time.checkout_copy import PROJECT

SCENARIO = Path(__file__).with_name("identity.toml")
PROGRAM = "tests.virtual_time.checksums"
Checksums = dict[str, dict[str, str]]


def measured(
    *,
    scenario: Path = SCENARIO,
    toolchain: Sequence[str] = (),
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
        run = started(scenario, folder, toolchain=toolchain, project=project, prefix=prefix, environment=environment, umask=umask)
        with run as process:
            return checksums(process, folder)


def checksums(process: subprocess.Popen[str], folder: Path) -> Checksums:
    """The checksums that a started run prints in the end."""
    said, errors = process.communicate()
    assert process.returncode == 0, said + errors
    assert [one.name for one in folder.iterdir()] == ["results"], "nothing else is left in HOME and TMPDIR"
    found: Checksums = json.loads(said)
    return found


@contextmanager
def started(
    scenario: Path,
    folder: Path,
    *,
    cluster: str = "",
    toolchain: Sequence[str] = (),
    project: Path = PROJECT,
    prefix: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    umask: int = 0o022,
) -> Iterator[subprocess.Popen[str]]:
    """A run that has just begun, in a process group of its own; its home and folder for temporary files is ``folder``."""
    with subprocess.Popen(
        [*prefix, sys.executable, "-m", PROGRAM, str(scenario), str(folder / "results"), cluster, *toolchain],
        cwd=project, env={"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), **(environment or {})},
        umask=umask, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()


def with_cubic_alone(folder: Path) -> Path:
    """The scenario with one scheme only, in another folder."""
    alone = folder / SCENARIO.name
    alone.write_text(SCENARIO.read_text().replace('["nodectl", "linux:cubic"]', '["linux:cubic"]'))
    return alone


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """One that other users can reach, as those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="identity-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
