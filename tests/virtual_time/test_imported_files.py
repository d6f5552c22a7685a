"""Which files programs import, read from made-up sources."""

from __future__ import annotations

from pathlib import Path

from virtual_time.file_system.imported_files import imported_files

PROGRAM = '''"""A program."""

from typing import TYPE_CHECKING

import tools.first as other
from tools.second import (
    something,
    third,
)

if TYPE_CHECKING:
    from tools.for_types import Kind

    import tools.more_types


def late():
    from tools import fourth as named, fifth
'''


def test_what_programs_import(tmp_path: Path) -> None:
    texts = {f"tools/{name}.py": "" for name in ("__init__", "first", "for_types", "more_types", "fourth", "fifth", "unused")}
    texts |= {
        "tools/second/__init__.py": "from tools.second import deep",
        "tools/second/third.py": "",
        "tools/second/deep.py": "import program",
    }
    texts |= {"program.py": PROGRAM, "tools/data.json": "{}"}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = imported_files({name: tmp_path / name for name in texts}, ["program.py"])
    unwanted = {"tools/for_types.py", "tools/more_types.py", "tools/unused.py", "tools/data.json"}
    assert found == set(texts) - unwanted
    assert imported_files({name: tmp_path / name for name in texts}, ["tools/first.py"]) == {"tools/first.py", "tools/__init__.py"}
