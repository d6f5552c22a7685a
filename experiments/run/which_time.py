"""Whether runs are in virtual time or in the machine's."""

from __future__ import annotations

import logging

from protocol.errors import UserError
from protocol.time_mode import VIRTUAL
from virtual_time.session import explain_missing

REAL = "real"

_log = logging.getLogger(__name__)


def is_virtual(wanted: str) -> bool:
    """What ``TIME=`` wishes for; empty: virtual time where it can be had.

    Raises:
        UserError: an unknown wish, or one that this machine cannot fulfil.
    """
    if wanted not in ("", VIRTUAL, REAL):
        raise UserError(f"TIME={wanted} is not known", "TIME is virtual (the default where it can be had) or real")
    if wanted == REAL:
        return False
    missing = explain_missing()
    if missing is None:
        return True
    if wanted == VIRTUAL:
        raise UserError(f"TIME=virtual: {missing}", "or TIME=real, as root")
    _log.warning("in real time, as root, since there is no virtual time here: %s", missing)
    return False
