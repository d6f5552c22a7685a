"""Compiles Python files for the file system inside, several at a time.

New programs do it, not forks of this one: a fork ends by itself where a library has threads (gRPC).
"""

from __future__ import annotations

import json
import marshal
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MARSHAL_VERSION = 2
"""The last one that does not write which objects were in use elsewhere in the process that compiled."""

SHARED_STRINGS = ("", *map(chr, range(256)))
"""Python has each of them once a process; marshal writes whether any module before has had it interned."""


def compiled(sources: Mapping[str, Path]) -> dict[str, bytes]:
    """Compiled Python files by their sources' paths inside, without those that Python cannot compile.

    Args:
        sources: files of this machine, by their paths inside.
    """
    if not sources:
        return {}
    inside = sorted(sources)
    count = min(len(inside), len(os.sched_getaffinity(0)))
    parts = [{one: str(sources[one]) for one in inside[k::count]} for k in range(count)]
    with ThreadPoolExecutor(count) as pool:
        found = {one: code for part in pool.map(_by_a_program, parts) for one, code in part.items()}
    return {one: found[one] for one in inside if one in found}


def _by_a_program(part: Mapping[str, str]) -> dict[str, bytes]:
    done = subprocess.run([sys.executable, "-I", __file__], input=json.dumps(part).encode(), stdout=subprocess.PIPE, check=True)
    codes: dict[str, bytes] = marshal.loads(done.stdout)
    return codes


def _code(source: Path, inside: str) -> bytes | None:
    try:
        return marshal.dumps(compile(source.read_bytes(), inside, "exec", dont_inherit=True, optimize=0), MARSHAL_VERSION)
    except (SyntaxError, ValueError):
        return None  # Python itself tells the program that imports it


def main() -> None:
    """Compile the files of this machine that the input names by their paths inside, as JSON; write their code by these."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # one whose parent has been killed says nothing
    for one in SHARED_STRINGS:
        sys.intern(one)
    codes = {inside: _code(Path(source), inside) for inside, source in json.load(sys.stdin).items()}
    sys.stdout.buffer.write(marshal.dumps({inside: code for inside, code in codes.items() if code is not None}))


if __name__ == "__main__":
    main()
