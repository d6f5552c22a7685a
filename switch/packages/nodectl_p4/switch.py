"""A running switch as a context manager."""

from __future__ import annotations

import json
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import TracebackType

from .binaries import binary
from .compiler import Program

START_S = 30.0
STOP_S = 10.0
LONGEST_SOCKET_PATH = 107
"""In bytes; Linux takes no longer one (unix(7))."""


class SwitchError(Exception):
    """The switch did not start, has ended, or refused a request."""


class Switch:
    """`simple_switch_grpc`, from `with` to its end.

    `interfaces` are existing network interfaces by port number (which need root). `program` is a compiled program, the path of a BMv2
    JSON, or None: then P4Runtime sets one. Raises SwitchError with the switch's messages if it does not start.
    """

    def __init__(
        self,
        program: Program | str | PathLike[str] | None = None,
        interfaces: Mapping[int, str] | None = None,
        *,
        device_id: int = 0,
        cpu_port: int | None = None,
        port: int | None = None,
    ) -> None:
        self._program = program.json_path if isinstance(program, Program) else program
        self._interfaces = dict(interfaces or {})
        self._device_id = device_id
        self._cpu_port = cpu_port
        self._wanted_port = port
        self._process: subprocess.Popen[str] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.address = ""
        """Where P4Runtime listens."""

    def __enter__(self) -> Switch:
        self._folder = tempfile.TemporaryDirectory(prefix="nodectl-p4-")
        if len(bytes(self._socket)) > LONGEST_SOCKET_PATH:
            self._folder.cleanup()
            self._folder = tempfile.TemporaryDirectory(prefix="nodectl-p4-", dir="/tmp")
        self.address = f"127.0.0.1:{self._wanted_port or _free_port()}"
        command = [str(binary("simple_switch_grpc")), "--device-id", str(self._device_id)]
        for number, interface in self._interfaces.items():
            command += ["-i", f"{number}@{interface}"]
        command += ["--management-socket", str(self._socket), "--no-p4" if self._program is None else str(self._program)]
        command += ["--", "--grpc-server-addr", self.address]
        command += [] if self._cpu_port is None else ["--cpu-port", str(self._cpu_port)]
        log = self._log.open("w")
        with log:
            self._process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, text=True)
        deadline = time.monotonic() + START_S
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > deadline:
                messages = self._log.read_text().strip()
                self.close()
                raise SwitchError(messages or "the switch did not start")
            time.sleep(0.005)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the switch, if it runs."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._folder = None

    def cli(self, line: str) -> str:
        """The output of a line of `simple_switch_CLI`. Raises SwitchError if the switch has ended."""
        return str(self._ask({"op": "cli", "line": line})["printed"])

    def show(self, what: str, name: str | None = None) -> list[dict[str, object]]:
        """The rows that `p4switch show` shows: tables, `table NAME`, counters, registers, queues, … Raises SwitchError."""
        answer = self._ask({"op": "show", "what": what, "name": name})
        return [{column: row[position] for position, column in enumerate(answer["columns"])} for row in answer["rows"]]

    @property
    def _path(self) -> Path:
        if self._folder is None:
            raise SwitchError("the switch does not run; use it in a `with` statement")
        return Path(self._folder.name)

    @property
    def _socket(self) -> Path:
        return self._path / "management.sock"

    @property
    def _log(self) -> Path:
        return self._path / "log"

    def _listens(self) -> bool:
        host, port = self.address.rsplit(":", 1)
        try:
            # Its file is there a moment before anybody listens on it.
            with socket.socket(socket.AF_UNIX) as management:
                management.connect(str(self._socket))
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            return False
        return True

    def _ask(self, request: dict[str, object]) -> dict[str, list[str]]:
        try:
            with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rw") as lines:
                connection.connect(str(self._socket))
                lines.write(json.dumps(request) + "\n")
                lines.flush()
                answer: dict[str, list[str]] = json.loads(lines.readline())
        except (OSError, ValueError) as error:
            raise SwitchError(f"the switch does not answer: {error}") from error
        if "error" in answer:
            raise SwitchError(str(answer["error"]))
        return answer


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
