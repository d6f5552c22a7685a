"""The programs inside: the same digest wherever the same versions are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from common.errors import UserError
from virtual_time.file_system.layer import LayerContent, make_layer
from virtual_time.file_system.shared_libraries import needed_libraries
from virtual_time.file_system.userland import INSIDE_PACKAGES, command_inside, commands_layer, userland

NOTHING = LayerContent({})
LIBRARY = "libanswer.so"


def test_where_packages_were_installed_is_no_part_of_them() -> None:
    """The note of the installed files has the checksums of scripts, which name the folder of their Python."""
    notes = {path.rpartition("/")[2] for path in userland(("numpy",)).files if path.startswith(f"{INSIDE_PACKAGES}/numpy-")}
    assert "METADATA" in notes
    assert not notes & {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A program with a library of its own beside it, as it comes from a build outside of Debian's packages."""
    folder = tmp_path / "first"
    for name, source in (
        ("answer.c", "int answer(void) { return 42; }"),
        ("program.c", "int answer(void); int main(void) { return answer(); }"),
    ):
        (tmp_path / name).write_text(source)
    for below in ("bin", "lib"):
        (folder / below).mkdir(parents=True)
    library = ["-shared", f"-Wl,-soname,{LIBRARY}", "-o", f"{folder}/lib/{LIBRARY}", "answer.c"]
    program = ["-o", f"{folder}/bin/program", "program.c", f"-L{folder}/lib", "-lanswer", "-Wl,-rpath,$ORIGIN/../lib"]
    for arguments in (library, program):
        subprocess.run(["cc", *arguments], cwd=tmp_path, check=True)
    return folder


def test_where_a_command_is_installed_does_not_matter(installed: Path, tmp_path: Path) -> None:
    other = shutil.copytree(installed, tmp_path / "another folder" / "of another name")
    layers = [commands_layer([folder / "bin" / "program"], NOTHING) for folder in (installed, other)]
    assert layers[0].files.keys() == layers[1].files.keys() >= {str(command_inside(Path("program"))), f"/usr/lib/{LIBRARY}"}
    digests = [make_layer("commands", layer, tmp_path / str(number)).digest for number, layer in enumerate(layers)]
    assert digests[0] == digests[1]
    with (other / "lib" / LIBRARY).open("ab") as library:
        library.write(b"another build")
    assert make_layer("commands", commands_layer([other / "bin" / "program"], NOTHING), tmp_path / "2").digest != digests[0]


def test_a_library_that_is_preloaded_outside_stays_outside(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = needed_libraries([Path("/usr/bin/env")])
    monkeypatch.setenv("LD_PRELOAD", str(installed / "lib" / LIBRARY))
    assert needed_libraries([Path("/usr/bin/env")]) == without


def test_a_library_that_the_userland_has_another_of_is_refused(installed: Path, tmp_path: Path) -> None:
    same, another = installed / "lib" / LIBRARY, tmp_path / LIBRARY
    another.write_text("another one")
    path = f"/usr/lib/x86_64-linux-gnu/{LIBRARY}"
    assert commands_layer([installed / "bin" / "program"], LayerContent({path: same})).files[f"/usr/lib/{LIBRARY}"] == same
    with pytest.raises(UserError, match="different libraries of one name"):
        commands_layer([installed / "bin" / "program"], LayerContent({path: another}))


def test_a_command_that_is_a_script_is_refused(tmp_path: Path) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\nexec /opt/program\n")
    with pytest.raises(UserError, match="program is a script: the programs it starts are missing in virtual time"):
        commands_layer([tmp_path / "program"], NOTHING)
