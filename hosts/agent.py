"""The program of a host: it always receives, and it sends on command. One UDP socket on port 4747 serves both roles."""

from __future__ import annotations

import asyncio
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from hosts.asked_to_stop import when_asked
from hosts.commands import SamplesCommand, SendCommand, parse_command, read_lines
from hosts.events import emit
from hosts.message_socket import MessageSockets
from hosts.plan import read_plan
from hosts.receiver import Receiver
from hosts.sender import EXIT_INTERRUPTED, SendingHost, carry_out
from protocol.constants import TCP_DATA_PORT

ALL_ADDRESSES = "0.0.0.0"
SHOWN_OF_A_LINE_BYTES = 200

SWITCH_INTERVAL_S = 0.0005
"""A thread that computes (e.g. decodes samples) keeps the others, which have a clock to keep up with, waiting no longer than this."""


@dataclass(frozen=True)
class AgentOptions:
    """How an agent receives: see :class:`hosts.receiver.Receiver`.

    ``samples``: file for samples of the bytes received, from the start on. ``takes_commands``: it obeys standard input; without this it
    only receives. ``congestion_control``: that of the connections it takes in; None: the system's.
    """

    bind: str
    port: int = TCP_DATA_PORT
    max_rate_bps: int | None = None
    multipath: bool = False
    samples: Path | None = None
    takes_commands: bool = True
    congestion_control: str | None = None


async def run_agent(options: AgentOptions) -> int:
    """Runs until it is asked to stop (hosts/asked_to_stop.py), or until standard input has ended and everything is sent.

    It prints these events:

    - ``ready``: it receives and takes commands.
    - ``sending``: a plan is in order and begins.
    - ``sent``: a plan is over. ``status`` is its exit code (0; 1: a transmission failed; 130: a signal cut it off), and ``failed`` has the
      failed transmissions.
    - ``samples``: the former samples are complete, and those to ``file`` have begun.
    - ``error``: a command could not be carried out; ``message`` says why.

    Returns:
        The exit code: 0, or 130 if the signal cut transmissions off. They were terminated properly then.

    Raises:
        UserError: a port is taken, a file for samples cannot be written, or connections could not be taken in any more.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    agent = Agent(options)
    await agent.open()
    try:
        return await agent.run()
    finally:
        agent.close()


class Agent:
    """See :func:`run_agent`."""

    def __init__(self, options: AgentOptions) -> None:
        self._options = options
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._stopped = asyncio.Event()
        self._failure: Exception | None = None
        self._is_cut_off = False
        self._receiver = Receiver(
            options.bind, options.port, options.max_rate_bps, options.multipath, self._on_failure, options.congestion_control
        )
        self._messages = MessageSockets(self._receiver.answer)
        local_address = None if options.bind == ALL_ADDRESSES else options.bind
        self._sending = SendingHost(self._messages, options.bind, local_address, self._stopped)

    async def open(self) -> None:
        """Opens the message socket, and begins to receive.

        Raises:
            UserError: a port is taken, the address is not this host's, or the samples cannot be written.
        """
        try:
            messages = await self._messages.at(self._options.bind)
            if messages.is_relayed and self._options.max_rate_bps is not None:
                raise UserError("this host's service answers requests and grants its own --grants-mbps", "leave out --max-rate-bps")
            self._receiver.start()
            self._receiver.record_to(self._options.samples)
        except UserError:
            self.close()
            raise
        when_asked(self._loop, self._stop)

    async def run(self) -> int:
        """Obeys until the end; returns the exit code."""
        if self._options.takes_commands:
            read_lines(sys.stdin.fileno(), self._lines.put_nowait)
        emit("ready")
        async with asyncio.TaskGroup() as plans:
            while (line := await self._lines.get()) is not None:
                await self._obey(line, plans)
        if isinstance(self._failure, OSError):
            raise UserError(f"no more connections can be taken in: {self._failure.strerror}")
        if self._failure is not None:
            raise self._failure
        return EXIT_INTERRUPTED if self._is_cut_off else 0

    def close(self) -> None:
        """Closes everything."""
        self._messages.close()
        self._receiver.close()

    def _stop(self) -> None:
        self._stopped.set()
        while not self._lines.empty():
            self._lines.get_nowait()
        self._lines.put_nowait(None)

    def _on_failure(self, error: Exception) -> None:
        self._failure = error
        self._loop.call_soon_threadsafe(self._stop)

    async def _obey(self, line: bytes, plans: asyncio.TaskGroup) -> None:
        try:
            command = parse_command(line)
            if isinstance(command, SendCommand):
                plans.create_task(self._send(command))
            else:
                await self._record(command)
        except UserError as error:
            emit("error", message=str(error), line=line[:SHOWN_OF_A_LINE_BYTES].decode(errors="replace"))

    async def _record(self, command: SamplesCommand) -> None:
        await asyncio.to_thread(self._receiver.record_to, command.file, command.interval_s)
        emit("samples", file=None if command.file is None else str(command.file))

    async def _send(self, command: SendCommand) -> None:
        file = str(command.plan)
        try:
            sent = await carry_out(read_plan(command.plan), self._sending, lambda: emit("sending", plan=file))
        except UserError as error:
            emit("error", message=str(error), plan=file)
            return
        self._is_cut_off |= sent.was_cut_off
        emit("sent", plan=file, status=sent.status, failed=sent.failed)
