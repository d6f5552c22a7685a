"""A run's messages for any number of browsers: read once, kept, handed to each from the beginning."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from common.errors import UserError
from view.recording.cell_recording import Message, as_json
from view.recording.run_recording import RunRecording

LOOK_INTERVAL_S = 0.2
"""Short enough to show news well within a second, long enough to make looking cheap."""

END = as_json({"t": "end"})
SLICE_S = 0.2
"""Reading goes on for so long before browsers are told what was found."""

AT_ONCE = 200
"""Messages that a browser is sent in one piece."""


class Feed:
    """Follows a run's folder.

    Args:
        folder: of the run; the run's description may not be written yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._recording: RunRecording | None = None
        self._unread: Iterator[Message] = iter(())
        self._messages: list[str] = []
        self._news = asyncio.Event()
        self._is_over = False
        self._stopped = False
        self._has_more = False

    def open(self) -> None:
        """Begin: the first message is the run's header.

        Raises:
            UserError: it is no run's folder, or a damaged one, or one of another version.
        """
        self._recording = RunRecording(self._folder)
        self._add([as_json({"t": "header", **self._recording.header()})])

    async def follow(self) -> None:
        """Read what is new until the run is over, however long that takes."""
        while not self._is_over:
            try:
                await self._look()
            except UserError as error:
                self._add([as_json({"t": "problem", "text": error.what})])
                return
            if self._stopped:
                return
            await asyncio.sleep(0.0 if self._has_more else LOOK_INTERVAL_S)

    def stop(self) -> None:
        """Let :meth:`follow` return soon."""
        self._stopped = True

    async def finish(self) -> None:
        """Nothing more will come of the run, and nobody follows it any more: read what is left, and tell everybody."""
        self._has_more = True
        while self._recording is not None and self._has_more and not self._is_over:
            await self._look()
        self._end()

    async def messages(self) -> AsyncIterator[list[str]]:
        """All messages from the first one on, in pieces, until the run is over."""
        told = 0
        while True:
            news = self._news
            if told < len(self._messages):
                piece = self._messages[told : told + AT_ONCE]
                told += len(piece)
                yield piece
            elif self._is_over:
                return
            else:
                await news.wait()

    async def _look(self) -> None:
        if self._recording is None:
            if not (self._folder / "run.json").exists():
                return
            self.open()
        recording = self._recording
        assert recording is not None
        if not self._has_more:
            self._unread = recording.advance()
        # Reading takes a moment where much is new; browsers are served meanwhile.
        self._add(await asyncio.to_thread(self._slice))
        if recording.is_over and not self._has_more:
            self._end()

    def _slice(self) -> list[str]:
        """Messages that are found within :data:`SLICE_S`; notes whether there are more."""
        found, end_s = [], time.monotonic() + SLICE_S
        for message in self._unread:
            found.append(as_json(message))
            if time.monotonic() > end_s:
                self._has_more = True
                return found
        self._has_more = False
        return found

    def _add(self, messages: list[str]) -> None:
        if messages:
            self._messages += messages
            self._tell()

    def _end(self) -> None:
        if not self._is_over:
            self._messages.append(END)
            self._is_over = True
            self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
