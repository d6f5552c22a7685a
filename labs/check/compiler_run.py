"""Runs a compiler over a student's source, within memory and time that no sensible program needs."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from labs.check.line_process import limited
from labs.check.vocabulary import Failed

COMPILE_S = 20
"""Of processor time: it is not a student's fault that a machine is busy."""

PATIENCE_S = 10 * COMPILE_S
"""By the clock."""

COMPILER_MEMORY_BYTES = 2 << 30
_ENDED_BY_ITS_LIMIT = (-signal.SIGXCPU, -signal.SIGKILL)


def run_compiler(command: Sequence[str], name: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the compiler over the file ``name``, in ``folder`` if given; returns its words and its exit code.

    Raises:
        Failed: it does not come to an end.
    """
    try:
        result = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=PATIENCE_S,
            preexec_fn=limited(COMPILER_MEMORY_BYTES, COMPILE_S),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"{name}: the compiler has not come to an end within {PATIENCE_S} s") from None
    if result.returncode in _ENDED_BY_ITS_LIMIT:
        raise Failed(f"{name}: the compiler has not come to an end within {COMPILE_S} s of processor time")
    return result
