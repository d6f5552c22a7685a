"""The sending side of a host: carries out a plan, all its transmissions in one event loop."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from hosts.cca import loader
from hosts.connection import local_address_towards, sending_socket
from hosts.events import emit
from hosts.message_socket import MessageSocket, MessageSockets
from hosts.multipath import MultipathTransmission
from hosts.other_paths import OtherPathsTransmission
from hosts.plan import Plan, TransmissionPlan
from hosts.sender_samples import Sampler
from hosts.summary import Summary
from hosts.transmission import Transmission

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


@dataclass(frozen=True)
class Sent:
    """The outcome of a plan: the transmissions that failed and why, and whether some were cut off before their end."""

    failed: dict[str, str]
    was_cut_off: bool

    @property
    def status(self) -> int:
        """The exit code."""
        return EXIT_FAILED if self.failed else EXIT_INTERRUPTED if self.was_cut_off else 0


@dataclass(frozen=True)
class SendingHost:
    """The parts that all plans of a host share.

    Attributes:
        messages: its message sockets.
        messages_at: the address of the one that negotiates for transmissions over one path; None: nothing negotiates.
        local_address: source address of connections; None: that of the route to each receiver.
        interrupted: set when everything is to end at once.
    """

    messages: MessageSockets
    messages_at: str | None
    local_address: str | None
    interrupted: asyncio.Event


async def send(plan: Plan, bind: str | None = None) -> int:
    """Carries out ``plan``, writes samples and summaries, and returns the exit code.

    Prints ``{"event":"ready"}`` when everything that can be checked beforehand is in order.

    Args:
        plan: the transmissions.
        bind: local address; None: that of the route to each receiver.

    Raises:
        UserError: a congestion control is missing, port 4747 is taken, or a file cannot be written.
    """
    interrupted = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, interrupted.set)
    messages = MessageSockets()
    try:
        messages_at = _messages_address(plan, bind)
        if messages_at is not None:
            await messages.at(messages_at)
        host = SendingHost(messages, messages_at, bind, interrupted)
        sent = await carry_out(plan, host, lambda: emit("ready"))
    finally:
        messages.close()
    return sent.status


async def carry_out(plan: Plan, host: SendingHost, on_begin: Callable[[], None]) -> Sent:
    """Carries out ``plan`` and writes samples and summaries.

    Args:
        plan: the transmissions.
        host: the parts that they share with other plans.
        on_begin: called when everything that can be checked beforehand is in order.

    Raises:
        UserError: a congestion control is missing, or a file cannot be written.
    """
    origins = {}
    for cc in {transmission.cc for transmission in plan.transmissions}:
        sending_socket(cc, host.local_address).close()
        origins[cc] = str(await asyncio.to_thread(loader.origin_of, cc))
    sampler = Sampler(plan.sample_interval_s)
    negotiating = await host.messages.at(host.messages_at) if host.messages_at is not None else None
    transmissions = [_transmission(one, origins[one.cc], host, negotiating, sampler) for one in plan.transmissions]
    on_begin()
    try:
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(transmission.run(host.interrupted)) for transmission in transmissions]
        summaries = [task.result() for task in running]
        await asyncio.to_thread(_write, plan, summaries)
    finally:
        await asyncio.to_thread(sampler.finish)
    failed = {summary.name: summary.error or "" for summary in summaries if summary.outcome == "failed"}
    return Sent(failed, any(summary.outcome == "interrupted" for summary in summaries))


def _transmission(plan: TransmissionPlan, origin: str, host: SendingHost, messages: MessageSocket | None, sampler: Sampler) -> Transmission:
    if plan.multipath:
        return MultipathTransmission(plan, origin, messages, host.messages, sampler, host.local_address)
    if plan.other_addresses and plan.negotiates and not plan.asks_every_rtt:
        return OtherPathsTransmission(plan, origin, messages, host.messages, sampler, host.local_address)
    return Transmission(plan, origin, messages, sampler, host.local_address)


def _messages_address(plan: Plan, bind: str | None) -> str | None:
    peers = {str(one.to) for one in plan.transmissions if one.negotiates}
    if not peers:
        return None
    local = {bind} if bind is not None else {local_address_towards(peer) for peer in peers}
    return local.pop() if len(local) == 1 else "0.0.0.0"


def _write(plan: Plan, summaries: list[Summary]) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    for one, summary in zip(plan.transmissions, summaries, strict=True):
        summary.process_cpu_s = usage.ru_utime + usage.ru_stime
        if one.summary is not None:
            summary.write(one.summary)
    if plan.summaries is not None:
        _write_together(plan.summaries, summaries)


def _write_together(file: Path, summaries: list[Summary]) -> None:
    try:
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(summary.to_json()) + "\n" for summary in summaries)
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}") from error
