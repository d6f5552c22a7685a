"""Each hand-in, however wrong, gets a clear message, never a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from common.errors import EXIT_CANNOT_RUN, UserError
from labs.catalogue import Lab, lab_numbered
from labs.checking import Request, check_lab
from labs.progress import state_of
from tests.harness.switches import REPOSITORY, binaries

COMPUTES_FOR_EVER = "import finsy\nwhile True:\n    pass\n"
NO_SERVE = "import finsy\n"
EXITS = "raise SystemExit('no')\n"


def message_for(lab: Lab, content: bytes, folder: Path) -> str:
    if not (binaries() / "p4sim").exists():
        pytest.skip(f"the embedded toolchain is not built ({binaries() / 'p4sim'} is missing): run `make setup`")
    (folder / "in").mkdir()
    (folder / "in" / lab.declaration.files[0]).write_bytes(content)
    result = check_lab(Request(lab, lab.files_in(folder / "in"), folder / "work", runs=None))
    assert result.earned == 0
    return result.messages()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "does not contain a `main' module"),
        (b"control {", "router.p4 does not compile"),
        (b"\xff\xfe\x00binary", "router.p4 does not compile"),
        (b'#include "missing.p4"\n', "missing.p4"),
        (b"#include <core.p4>\n#include <v1model.p4>\n", "does not contain a `main' module"),
    ],
    ids=["empty", "unfinished", "binary", "include", "no main"],
)
def test_p4_that_does_not_compile(content: bytes, says: str, tmp_path: Path) -> None:
    assert says in message_for(lab_numbered(1), content, tmp_path)


def test_p4_that_sends_packets_round_for_ever(tmp_path: Path) -> None:
    program = lab_numbered(1).solution["router.p4"].read_text()
    program = program.replace(BEGINS, BEGINS.replace("        if", "        resubmit_preserving_field_list(0);\n        if"))
    assert "round again and again" in message_for(lab_numbered(1), program.encode(), tmp_path)


HEAD = "const bit<16> ETHERTYPE_IPV4 = 0x0800;\n"
BEGINS = "    apply {\n        if (hdr"
DOUBLES = "#define A0 1\n" + "".join(f"#define A{number} A{number - 1} + A{number - 1}\n" for number in range(1, 40))


@pytest.mark.parametrize(
    ("find", "put", "says"),
    [
        (
            "    apply {\n        if (hdr",
            "    register<bit<64>>(0xFFFFFFFF) all;\n    apply {\n        all.write(0, 1);\n        if (hdr",
            "too many",
        ),
        (HEAD, f'#include "router.p4"\n{HEAD}', "include each other too deeply"),
        (HEAD, f"{DOUBLES}{HEAD}const bit<32> MANY = A39;\n", "expands to too many tokens"),
        ("    ipv4_t     ipv4;\n", "    ipv4_t     ipv4;\n    ipv4_t[1000000000] more;\n", "the size of a header stack must be between"),
        (HEAD, f"{HEAD}const bit<2000000000> WIDE = 1 << 1999999999;\n", "is not a width"),
    ],
    ids=["register", "include", "macro", "stack", "width"],
)
def test_p4_that_would_take_all_of_the_memory(find: str, put: str, says: str, tmp_path: Path) -> None:
    program = lab_numbered(1).solution["router.p4"].read_text()
    assert program.count(find) == 1
    assert says in message_for(lab_numbered(1), program.replace(find, put).encode(), tmp_path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (COMPUTES_FOR_EVER, "it does not begin to read packet-ins"),
        (NO_SERVE, "has no attribute 'serve'"),
        (EXITS, "SystemExit: no"),
        ("def serve(:\n", "controller.py:1"),
    ],
    ids=["computes for ever", "no serve", "exits", "syntax"],
)
def test_python_that_is_no_controller(content: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labs.check.controller_program.START_S", 3.0)
    (tmp_path / "in").mkdir()
    lab = lab_numbered(5)
    (tmp_path / "in" / "controller.py").write_text(content)
    result = check_lab(Request(lab, lab.files_in(tmp_path / "in"), tmp_path / "work", runs=None))
    assert says in result.messages()
    assert result.earned == 0


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "testbed", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("lab", "99"), "there is no lab 99"),
        (("lab", "x"), "should be a valid integer"),
        (("lab", "1", "--from", "/nonexistent"), "there is no folder /nonexistent"),
        (("lab", "1", "--from", "/"), "/router.p4 is missing"),
        (("lab", "1", "--from", "/", "--solution"), "exclude each other"),
        (("handout", "."), "is inside this tree"),
    ],
    ids=["unknown", "no number", "no folder", "no file", "both", "into itself"],
)
def test_a_mistake_in_the_command_line(arguments: tuple[str, ...], says: str) -> None:
    result = run(*arguments)
    assert result.returncode == EXIT_CANNOT_RUN
    assert says in result.stderr
    assert "Traceback" not in result.stderr


def test_a_folder_to_work_in_that_cannot_be_emptied(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lab = lab_numbered(1)
    with pytest.raises(UserError, match="cannot be emptied: Not a directory"):
        lab.stage(lab.skeleton, tmp_path / "file" / "work")


def test_a_result_belongs_to_the_files_it_was_made_of(tmp_path: Path) -> None:
    lab = lab_numbered(1)
    assert state_of(lab, tmp_path) == "not checked yet"
    result = check_lab(Request(lab, lab.skeleton, tmp_path / "work", runs=None))
    result.write(tmp_path / f"{lab.name}.json")
    assert state_of(lab, tmp_path) == f"0 of {result.points} points"
    result.handed_in = "other"
    result.write(tmp_path / f"{lab.name}.json")
    assert state_of(lab, tmp_path).endswith("changed since")
