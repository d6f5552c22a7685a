"""The live page's server as a user starts it, and its answers."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PROJECT = Path(__file__).resolve().parents[3]
END_S = 20.0


def command(*words: str | Path) -> list[str]:
    """A command line of ``python -m testbed``."""
    return [sys.executable, "-m", "testbed", *(str(word) for word in words)]


@dataclass
class PageServer:
    """A server that is up.

    Args:
        process: of it.
        url: as it printed it.
    """

    process: subprocess.Popen[str]
    url: str

    def answer(
        self, path: str, method: str = "GET", headers: dict[str, str] | None = None, *, with_query: bool = True
    ) -> tuple[int, str, dict[str, str]]:
        """Status, body and headers of an answer that ends."""
        where = urlsplit(self.url)
        assert where.hostname is not None
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=END_S)
        query = f"?{where.query}" if where.query and with_query else ""
        connection.request(method, f"{path}{query}", headers=headers or {})
        response = connection.getresponse()
        found = response.status, response.read().decode(), dict(response.getheaders())
        connection.close()
        return found

    def messages(self) -> list[dict[str, Any]]:
        """All messages of a run that is over."""
        body = self.answer("/messages")[1]
        return [json.loads(line.removeprefix("data: ")) for line in body.splitlines() if line.startswith("data: ")]


@contextmanager
def serving(*words: str | Path) -> Iterator[PageServer]:
    """A server, until the block ends."""
    process = subprocess.Popen(
        command(*words),
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://" in line, line + process.stdout.read()
        yield PageServer(process, next(word for word in line.split() if word.startswith("http://")))
    finally:
        process.terminate()
        process.wait(END_S)
        assert process.stdout is not None
        process.stdout.close()


def said(words: Sequence[str | Path]) -> tuple[int, str]:
    """Exit code and words of a command that cannot do what it is asked for."""
    done = subprocess.run(command(*words), cwd=PROJECT, capture_output=True, text=True, timeout=END_S * 3, check=False)
    return done.returncode, done.stdout + done.stderr
