"""The outside's end of a kernel's console, which is a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from virtual_time.console import MARK, Event, parse
from virtual_time.question import ASKS

TAIL_LINES = 12


@dataclass
class Console:
    """Reads the output of the inside as it grows."""

    file: Path
    on_event: Callable[[Event], None]
    on_text: Callable[[str], None] | None = None
    text: list[str] = field(default_factory=list)
    status: int | None = None
    error: str | None = None
    virtual_s: float = 0.0
    _position: int = 0
    _rest: bytes = b""
    _begun: str = ""

    def read(self) -> bool:
        """Take in new output; returns whether there was any."""
        with self.file.open("rb") as stream:
            stream.seek(self._position)
            new = stream.read()
        self._position += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        for line in lines:
            self._line(line.decode(errors="replace").rstrip("\r"))
        return bool(new)

    def _line(self, line: str) -> None:
        said, mark, told = line.partition(MARK)
        event = parse(mark + told)
        if event is None:
            self._end_text(line)
            return
        self._begun += said  # an event may come in the middle of a line of text, which goes on after it
        if event.get("event") == ASKS and self._begun:
            self._end_text("")
        if event.get("event") == "exit":
            self.status, self.error = event.get("status"), event.get("error")
        self.virtual_s = event.get("virtual_s", self.virtual_s)
        self.on_event(event)

    def _end_text(self, end: str) -> None:
        line, self._begun = self._begun + end, ""
        self.text.append(line)
        if self.on_text is not None:
            self.on_text(line)

    @property
    def rest(self) -> str:
        """The beginning of a line that has not ended."""
        return self._begun + self._rest.decode(errors="replace")

    def tail(self) -> str:
        """The last lines that are no events, indented."""
        return "\n".join(f"  {line}" for line in self.text[-TAIL_LINES:] if line.strip())
