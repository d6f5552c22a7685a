"""Logging set-up: the standard library's logging (finsy and asyncio use it too), one readable line an event on stderr."""

from __future__ import annotations

import logging


def set_up_logging(*, verbose: bool) -> None:
    """Send the log to stderr, and nowhere else; ``verbose`` adds finsy's messages and the core's details."""
    logging.basicConfig(
        force=True,
        level=logging.DEBUG if verbose else logging.INFO,
        format="%(asctime)s.%(msecs)03d %(levelname)-7s %(message)s",
        datefmt="%H:%M:%S",
    )
    for library in ("finsy", "asyncio", "grpc"):
        logging.getLogger(library).setLevel(logging.INFO if verbose else logging.ERROR)
