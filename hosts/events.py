"""Events that the programs on a host print on standard output, a line of JSON each."""

from __future__ import annotations

import json

from common.command_end import write_for_nobody


def emit(event: str, **fields: object) -> None:
    """Prints ``{"event": event, ...}`` at once. If nobody reads standard output any more, it and all later ones are dropped."""
    try:
        print(json.dumps({"event": event, **fields}), flush=True)
    except BrokenPipeError:
        write_for_nobody()
