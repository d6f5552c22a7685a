"""Asks a host's service. A program that joins one asks and becomes its command: with few imports, so that it starts at once."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from typing import Any

from common.errors import UserError

NAME = "\0nodectl"
"""Of the service's socket."""

JOIN, STATUS = "join", "status"
ANSWER_S = 5.0
LINE_BYTES = 1 << 24

Answer = dict[str, Any]


def ask(question: str) -> Answer | None:
    """The answer of this host's service; None if there is none.

    Raises:
        UserError: it refuses, or does not answer.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_S)
        try:
            connection.connect(NAME)
        except ConnectionRefusedError:
            return None
        try:
            connection.sendall(question.encode() + b"\n")
            line = connection.makefile("rb").readline(LINE_BYTES)
            answer: Answer = json.loads(line)
        except (OSError, ValueError) as error:
            raise UserError("the host's service does not answer", "see its log") from error
    if "error" in answer:
        raise UserError(f"the host's service refuses '{question}': {answer['error']}")
    return answer


def join_and_execute(command: Sequence[str]) -> None:
    """Becomes the command; the service that this process has joined serves it.

    Raises:
        UserError: there is no such command.
    """
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        raise UserError(f"{command[0]} cannot be started: {error.strerror}") from error
