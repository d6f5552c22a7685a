"""Python files are compiled for the file system inside, whatever the process that wants it is like."""

from __future__ import annotations

import json
import marshal
import os
import signal
import subprocess
import sys
from pathlib import Path

from virtual_time.file_system import bytecode
from virtual_time.file_system.bytecode import compiled


def test_files_are_compiled_but_for_those_that_cannot_be(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text("ANSWER = 42\n")
    bad.write_text("def\n")
    found = compiled({"/inside/good.py": good, "/inside/bad.py": bad})
    assert list(found) == ["/inside/good.py"]
    code = marshal.loads(found["/inside/good.py"])
    assert code.co_filename == "/inside/good.py"
    names: dict[str, object] = {}
    exec(code, names)
    assert names["ANSWER"] == 42


def test_nothing_is_nothing() -> None:
    assert compiled({}) == {}


def test_a_program_whose_forks_end_by_themselves_compiles_too() -> None:
    forks = "import os; os.register_at_fork(after_in_child=lambda: os._exit(9))"
    compiles = (
        f"from pathlib import Path; from virtual_time.file_system.bytecode import compiled; assert compiled({{'x.py': Path({__file__!r})}})"
    )
    subprocess.run([sys.executable, "-c", f"{forks}; {compiles}"], check=True)


def test_a_program_that_compiles_says_nothing_when_its_parent_has_gone() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-I", bytecode.__file__],
            input=json.dumps({"x.py": __file__}).encode(),
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")
