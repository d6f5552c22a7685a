"""Asks a running controller over its status socket. The controller imports this too, so it does without what tables need."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from common.errors import UserError

ANSWER_TIMEOUT_S = 5.0


def ask(path: Path, operation: str, **arguments: Any) -> dict[str, Any]:
    """The controller's answer to ``{"op": operation}``, with further keys if the operation takes any.

    Raises:
        UserError: no controller answers there, or it does not know the operation.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(ANSWER_TIMEOUT_S)
            connection.connect(str(path))
            connection.sendall(json.dumps({"op": operation, **arguments}).encode() + b"\n")
            with connection.makefile("rb") as answers:
                answer = json.loads(answers.readline() or b"{}")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path}: no controller answers there ({reason}); is it running?") from None
    if not isinstance(answer, dict) or "error" in answer or not answer:
        raise UserError(f"{path}: the controller answered: {answer.get('error', 'nothing') if isinstance(answer, dict) else answer}")
    return answer
