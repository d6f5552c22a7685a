"""Requests for agents and the answers to them, on a connection each (topo/fork_server.py, hosts/fork_server.py)."""

from __future__ import annotations

REQUEST_BYTES = 65536
STANDARD_STREAMS = 3
"""Descriptors that come with a request."""

STATUS_BYTES = 4
"""Of an exit status as ``Popen.returncode`` has it, little-endian, signed."""

PID_BYTES = 8
"""Sent first, by the agent itself, once it is on its host. A status alone means that it did not get there."""


def pid_message(pid: int) -> bytes:
    """The message of an agent that is on its host."""
    return pid.to_bytes(PID_BYTES, "little")


def status_message(status: int) -> bytes:
    """The message of an agent's end."""
    return status.to_bytes(STATUS_BYTES, "little", signed=True)
