"""Somebody's own data plane and controller travel with all that they consist of."""

from __future__ import annotations

from pathlib import Path

from engine.plan.programs import Programs


def test_nothing_travels_of_the_testbeds_own() -> None:
    assert Programs().files("programs") == {}
    assert Programs().below("/job/programs") == Programs()


def test_a_program_travels_with_what_it_includes(tmp_path: Path) -> None:
    for name in ("own.p4", "headers.p4", "parts/checksum.p4", "controller.py", "frame.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    programs = Programs(tmp_path / "own.p4", tmp_path / "controller.py")
    assert programs.files("programs") == {
        "programs/p4/headers.p4": tmp_path / "headers.p4",
        "programs/p4/own.p4": tmp_path / "own.p4",
        "programs/p4/parts/checksum.p4": tmp_path / "parts" / "checksum.p4",
        "programs/controller/controller.py": tmp_path / "controller.py",
        "programs/controller/frame.py": tmp_path / "frame.py",
    }
    assert programs.below("/job/programs") == Programs(Path("/job/programs/p4/own.p4"), Path("/job/programs/controller/controller.py"))
    assert set(programs.files("programs")) >= {"programs/p4/own.p4", "programs/controller/controller.py"}
