"""A sending host: one process, one message socket, one or several transmissions."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import sys
from pathlib import Path

from hosts.connection import local_address_towards, sending_socket
from hosts.message_socket import MessageSocket, MessageSockets
from hosts.multipath import MultipathTransmission
from hosts.plan import NODECTL, Plan, read_plan
from hosts.sender_samples import Sampler
from hosts.summary import Summary
from hosts.transmission import Transmission

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


async def send(plan: Plan, bind: str | None = None) -> int:
    """Carries out ``plan``, writes samples and summaries, and returns the exit code.

    Prints ``{"event":"ready"}`` when everything that can be checked beforehand is in order.

    Args:
        plan: the transmissions.
        bind: local address; None: that of the route to each receiver.

    Raises:
        UserError: a congestion control is missing, port 4747 is taken, or a file cannot be written.
    """
    for cc in {transmission.cc for transmission in plan.transmissions}:
        sending_socket(cc, bind).close()
    messages = await _open_messages(plan, bind)
    others = MessageSockets(messages)
    sampler = Sampler(plan.sample_interval_s)
    interrupted = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupted.set)
    transmissions = [
        MultipathTransmission(one, messages, others, sampler, bind) if one.multipath else Transmission(one, messages, sampler, bind)
        for one in plan.transmissions
    ]
    print(json.dumps({"event": "ready"}), flush=True)
    try:
        summaries = await asyncio.gather(*(transmission.run(interrupted) for transmission in transmissions))
    finally:
        others.close()
        sampler.finish()
    _write(plan, summaries)
    if any(summary.outcome == "failed" for summary in summaries):
        return EXIT_FAILED
    return EXIT_INTERRUPTED if interrupted.is_set() else 0


def serve(bind: str | None = None) -> int:
    """Carries out the plans whose files are named on standard input, a line each, one after the other, until it closes.

    So a host that sends again and again pays for starting the program once. Prints ``{"event":"ready"}`` when the first
    plan may come, and for each plan what :func:`send` prints and then ``{"event":"sent","status":…}`` (its exit code).

    Raises:
        UserError: as :func:`send`.
    """
    print(json.dumps({"event": "ready"}), flush=True)
    for line in sys.stdin:
        status = asyncio.run(send(read_plan(Path(line.rstrip("\n"))), bind))
        print(json.dumps({"event": "sent", "status": status}), flush=True)
        if status == EXIT_INTERRUPTED:
            return status
    return 0


async def _open_messages(plan: Plan, bind: str | None) -> MessageSocket | None:
    peers = {str(one.to) for one in plan.transmissions if one.cc == NODECTL}
    if not peers:
        return None
    local = {bind} if bind is not None else {local_address_towards(peer) for peer in peers}
    return await MessageSocket.open(local.pop() if len(local) == 1 else "0.0.0.0")


def _write(plan: Plan, summaries: list[Summary]) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    for one, summary in zip(plan.transmissions, summaries, strict=True):
        summary.process_cpu_s = usage.ru_utime + usage.ru_stime
        if one.summary is not None:
            summary.write(one.summary)
