"""Programs of a scenario: missing ones are reported before the run, and the files that they need go with them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from engine.execute.virtual_runs import with_paths_outside
from engine.plan.program_files import as_inside, programs_of
from scenario.scenario import Scenario
from virtual_time.file_system.debian_packages import installed, packages_with
from virtual_time.file_system.layer import LayerContent
from virtual_time.file_system.programs_layer import interpreter_of, programs_layer
from virtual_time.file_system.userland import command_inside

NETWORK: dict[str, Any] = {
    "title": "programs",
    "topology": {"kind": "dumbbell", "pairs": 1, "access": {"rate_mbps": 100}, "bottleneck": {"rate_mbps": 10}},
    "run": {"schemes": ["cubic"], "duration_s": 2},
}
USERLAND = LayerContent({}, {"/etc/passwd": "root:x:0:0:root:/root:/bin/bash\n"}, {"/usr/bin/sh": "dash"})


def scenario(*commands: list[str], files: dict[str, str | int] | None = None, **more: Any) -> Scenario:
    programs = [{"name": f"p{number}", "host": "h1", "command": command} | more for number, command in enumerate(commands)]
    return Scenario.model_validate(NETWORK | {"programs": programs, "files": files or {}})


@pytest.mark.parametrize(
    ("commands", "more", "missing"),
    [
        ([["no-such-program", "x"]], {}, "program 'p0': no-such-program is not installed"),
        ([["sh", "-c", "no-such-program http://$h1/ | wc -c"]], {}, "program 'p0': no-such-program is not installed"),
        ([["true"], ["bash", "-c", "cd $folder && no-such-program"]], {}, "program 'p1': no-such-program is not installed"),
        ([["/no/such/program"]], {}, "program 'p0': /no/such/program is not installed"),
        ([["true"]], {"starts": ["no-such-program"]}, "program 'p0': no-such-program is not installed"),
        ([["$folder/run.sh"]], {}, r"no text 'run.sh' in \[files\]"),
        (
            [["$folder/run.py"]],
            {"files": {"run.py": "#!/usr/bin/env no-such-python\n"}},
            "script for no-such-python, which is not installed",
        ),
    ],
)
def test_a_program_that_is_not_there_is_said_before_the_run(commands: list[list[str]], more: dict[str, Any], missing: str) -> None:
    with pytest.raises(UserError, match=missing):
        programs_of([scenario(*commands, **more)])


@pytest.mark.parametrize(
    ("command", "files"),
    [
        (["sh", "-c", "x=no-such; $$x | wc -c; no_such() { :; }; no_such"], {}),
        (["timeout", "-s", "KILL", "5", "true"], {}),
        (["python3", "-m", "http.server", "80"], {}),
        (["$folder/$number.sh"], {}),
        (["$folder/run.sh"], {"run.sh": "#!/bin/sh\nno-such-program | wc -c\n"}),
    ],
)
def test_what_cannot_be_known_is_not_refused(command: list[str], files: dict[str, str | int]) -> None:
    programs_of([scenario(command, files=files)])


def test_programs_of_texts_wrappers_and_scripts_go_with_them() -> None:
    one = scenario(
        ["sh", "-c", "perl x | wc -c"], ["timeout", "5", "git", "x"], ["$folder/run.sh"], files={"run.sh": "#!/bin/sh\nperl y\n"}
    )
    assert {file.name for file in programs_of([one])} >= {"perl", "git"} - {name for name in ("perl", "git") if not shutil.which(name)}


def test_a_program_below_a_folder_that_is_made_anew_inside_is_elsewhere_there(tmp_path: Path) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\n")
    (tmp_path / "program").chmod(0o755)
    (program,) = as_inside(scenario([str(tmp_path / "program"), "a"])).programs
    assert program.command == [str(command_inside(Path("program"))), "a"]
    plain = scenario(["/usr/bin/env", "a"], ["true"])
    assert as_inside(plain) is plain


def test_a_script_brings_its_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!{shutil.which('perl')} -w\n")
    layer = programs_layer([script], USERLAND)
    assert layer.files[str(command_inside(script))] == script
    assert "/usr/bin/perl" in layer.files
    assert interpreter_of(script, b"#!/usr/bin/env -S FOO=1 sh -e\n") == Path(shutil.which("sh") or "")
    assert interpreter_of(script, b"no first line\n") is None


@pytest.mark.skipif(shutil.which("git") is None or not installed(), reason="git is not installed as a Debian package: it is NOT tested")
def test_git_comes_with_the_programs_that_it_starts() -> None:
    git = Path(shutil.which("git") or "")
    layer = programs_layer([git], USERLAND)
    assert layer.links[str(command_inside(git))] == "/usr/bin/git"
    helper = layer.files.get("/usr/lib/git-core/git-remote-http") or layer.links.get("/usr/lib/git-core/git-remote-http")
    assert helper
    assert any(path.rpartition("/")[2].startswith("libcurl-gnutls") for path in [*layer.files, *layer.links])
    assert not any(path.startswith(("/usr/share/doc/", "/usr/share/man/", "/var/")) for path in [*layer.files, *layer.links])
    assert "/usr/bin/sh" not in {*layer.files, *layer.links}


def test_packages_are_taken_as_long_as_there_is_room() -> None:
    if not installed():
        pytest.skip("this is no Debian: packages are NOT tested")
    package = next(name for name in ("git", "curl", "iproute2") if name in installed())
    everything = packages_with(package, 10**12)
    assert packages_with(package, 0) == [package]
    assert packages_with(package, 1000, lambda _name: 400)[:1] == [package]
    assert len(packages_with(package, 1000, lambda _name: 400)) == min(2, len(everything))


def test_the_libraries_of_a_program_that_is_of_no_package_come_along(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text("int main(void) { return 0; }")
    subprocess.run(["cc", "-o", "program", "program.c"], cwd=tmp_path, check=True)
    layer = programs_layer([tmp_path / "program"], LayerContent({}))
    assert any(path.endswith("libc.so.6") for path in layer.files)


def test_what_was_said_inside_names_files_outside() -> None:
    said = "its log: /out/logs/4f3/h1.log; all: /out/scratch/a_b-attempt1/said-x.txt, not /output/logs/x"
    assert with_paths_outside(said, Path("results/r"), Path("results/r/logs/a_b")) == (
        "its log: results/r/logs/a_b/h1.log; all: results/r/scratch/a_b-attempt1/said-x.txt, not /output/logs/x"
    )
