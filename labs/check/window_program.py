"""A student's congestion control, compiled for user space and driven without packets: its window after each round trip."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.installation import PROJECT
from hosts.cca.compilers import c_compiler
from hosts.cca.simulation.frame import bpf_frame_options
from hosts.cca.sources import SOURCE_SUFFIX
from labs.check.compiler_messages import first_error
from labs.check.compiler_run import run_compiler
from labs.check.line_process import LineProcess, StoppedError
from labs.check.vocabulary import Failed

ANSWER_S = 5.0
START_S = 30.0
RTT_US = 40_000
SLOW_START = 1_000_000
"""A threshold that no window of a lab reaches."""

_REGISTER = re.compile(r"^REGISTER\((\w+),", re.MULTILINE)


@dataclass
class Connection:
    """One connection that always has something to send, unless it is told otherwise."""

    program: WindowProgram
    number: int

    def rounds(self, count: int, *, rtt_us: int = RTT_US, packets: int | None = None, at_once: int = 1) -> list[int]:
        """The windows after each of ``count`` round trips.

        Args:
            count: of round trips.
            rtt_us: of each.
            packets: that the application has for each; None: more than the window.
            at_once: packets that an acknowledgement acknowledges.

        Raises:
            Failed: the program has ended, or does not come to an end.
        """
        asked = self.program.ask(op="rounds", connection=self.number, count=count, rtt_us=rtt_us, packets=packets, at_once=at_once)
        return [int(window) for window in asked["windows"][:-1]]

    def lose(self) -> tuple[int, int]:
        """One packet of a window is lost and sent again; returns threshold and window when that is over."""
        return self._after("lose")

    def time_out(self) -> tuple[int, int, int]:
        """A whole window is lost; returns the threshold, the window when the timer has run out, and the window when all is acknowledged."""
        asked = self.program.ask(op="time_out", connection=self.number)
        return int(asked["threshold"]), int(asked["windows"][0]), int(asked["windows"][1])

    def undo(self) -> tuple[int, int]:
        """The last loss was none; returns threshold and window."""
        return self._after("undo")

    def _after(self, what: str) -> tuple[int, int]:
        asked = self.program.ask(op=what, connection=self.number)
        return int(asked["threshold"]), int(asked["windows"][-1])


class WindowProgram:
    """The library of a scheme, running.

    Args:
        source: the student's file, ``NAME.bpf.c``.

    Raises:
        Failed: it does not compile, or does not define the scheme that it is named after.
    """

    def __init__(self, source: Path) -> None:
        self.name = source.name.removesuffix(SOURCE_SUFFIX)
        self._file = source.name
        self._opened = 0
        command = [sys.executable, "-m", "labs.check.window_host", str(_compiled(source, self.name))]
        self._process = LineProcess(command, ANSWER_S, PROJECT)

    def close(self) -> None:
        """End it."""
        self._process.close()

    def connection(self, window: int, threshold: int | None = None, rtt_us: int = RTT_US) -> Connection:
        """A new connection with a window of so many packets, in congestion avoidance unless ``threshold`` is larger."""
        self._opened += 1
        within_s = START_S if self._opened == 1 else None
        self.ask(within_s=within_s, op="open", connection=self._opened, window=window, threshold=threshold, rtt_us=rtt_us)
        return Connection(self, self._opened)

    def ask(self, *, within_s: float | None = None, **request: Any) -> dict[str, Any]:
        """The answer of window_host.py.

        Raises:
            Failed: it has ended, or does not come to an end.
        """
        try:
            return self._process.ask(within_s=within_s, **request)
        except StoppedError as error:
            raise Failed(f"{self._file}: {_why(str(error))}") from None


def _compiled(source: Path, name: str) -> Path:
    compiler = c_compiler()
    registered = _REGISTER.findall(source.read_text(encoding="utf-8", errors="replace"))
    if registered != [name]:
        raise Failed(f"{source.name} registers {', '.join(registered) or 'nothing'}, expected REGISTER({name}, …) once, at its end")
    library = source.with_suffix(".so")
    command = [*compiler, *bpf_frame_options(name, source), "-o", str(library)]
    result = run_compiler(command, source.name)
    if result.returncode != 0:
        said = [line.replace(f"{source.parent}/", "") for line in result.stderr.rstrip().splitlines()]
        first = first_error(said, result.returncode)
        hint = ": floating point cannot be used in the kernel" if re.search(r"\b(float|double)\b", first) else ""
        raise Failed(f"{source.name} does not compile: {first}{hint}", said)
    _check_no_floating_point(source, library)
    return library


def _check_no_floating_point(source: Path, library: Path) -> None:
    """The kernel's module would not compile; here it would."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", source.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
    found = re.search(r"\b(float|double)\b|\b\d+\.\d+", text)
    if found:
        library.unlink()
        raise Failed(
            f"{source.name} has floating point ({found[0]}), which cannot be used in the kernel: scale, and multiply before you divide"
        )


def _why(error: str) -> str:
    for number, meaning in ((signal.SIGFPE, "it divides by 0, which stops the kernel"), (signal.SIGSEGV, "it follows a wild pointer")):
        if error.endswith(f"exit code {-number}"):
            return meaning
    return f"it does not come to an end with a round trip ({error})" if error.startswith("no answer") else error


def shown(windows: Sequence[int]) -> str:
    """Windows as people read them."""
    return " → ".join(map(str, windows))
