"""Events: what the programs on a host say on standard output, a line of JSON each."""

from __future__ import annotations

import json
import os
import sys


def emit(event: str, **fields: object) -> None:
    """Prints ``{"event": event, ...}`` at once. If nobody reads standard output any more, it and all later ones are dropped."""
    try:
        print(json.dumps({"event": event, **fields}), flush=True)
    except BrokenPipeError:
        # What is left in Python's buffer would fail again when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
