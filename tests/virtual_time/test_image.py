"""Images: made once, kept while somebody boots from them, and not much longer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from virtual_time.file_system.image import KEPT_S, assemble, checkout
from virtual_time.file_system.layer import Layer
from virtual_time.places import INSIDE

HOLD = """
import sys
from pathlib import Path
from virtual_time.file_system.image import assemble
from virtual_time.file_system.layer import Layer
print(assemble([Layer(Path(sys.argv[1]), "a")], Path(sys.argv[2])).file, flush=True)
sys.stdin.read()
"""


def layer(folder: Path, name: str) -> Layer:
    archive = folder / f"{name}.cpio"
    archive.write_text(name)
    return Layer(archive, name)


def test_it_is_all_layers_in_order_and_made_once(tmp_path: Path) -> None:
    layers = [layer(tmp_path, "one"), layer(tmp_path, "two")]
    image = assemble(layers, tmp_path)
    assert image.file.read_text() == "onetwo"
    made_ns = image.file.stat().st_mtime_ns
    assert assemble(layers, tmp_path) == image
    assert image.file.stat().st_mtime_ns == made_ns
    assert assemble(layers[::-1], tmp_path).digest != image.digest


def test_an_old_one_goes_unless_a_process_boots_from_it(tmp_path: Path) -> None:
    """A run of hours in a checkout that was changed in the meantime lost its image to the next run."""
    first = layer(tmp_path, "one")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(first.archive), str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        held = Path(run.stdout.readline().strip())
        unheld = tmp_path / "image-of-a-run-that-has-ended.cpio"
        unheld.touch()
        for image in (held, unheld):
            made_s = image.stat().st_mtime - KEPT_S - 1
            os.utime(image, (made_s, made_s))
        assemble([layer(tmp_path, "two")], tmp_path)
        assert held.exists()
        assert not unheld.exists()
        run.communicate("")
    assemble([layer(tmp_path, "three")], tmp_path)
    assert not held.exists()


PROGRAMS = (
    "engine.execute.inside",
    "engine.execute.inside_prompt",
    "controller.__main__",
    "hosts.__main__",
    "hosts.service.__main__",
    "virtual_time.init",
)
"""The programs that start inside. They import their modules at once, but for those that only mistakes and command lines need."""


def test_it_has_all_that_runs_inside_and_no_reports(tmp_path: Path) -> None:
    inside = {place.removeprefix(f"{INSIDE}/"): file for place, file in checkout().files.items()}
    assert not [place for place in inside if place.startswith(("reports/", "scenario/examples/", "virtual_time/kernel/"))]
    assert not {"virtual_time/session.py", "virtual_time/cluster/driver.py", "engine/execute/runner.py"} & set(inside), (
        "they start machines"
    )
    for place, file in inside.items():
        if place.endswith(".py"):
            (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place).symlink_to(file)
    imported = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, '.'); import {', '.join(PROGRAMS)}"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert imported.returncode == 0, imported.stderr
