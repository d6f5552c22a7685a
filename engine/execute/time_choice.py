"""Whether runs are in virtual time or in the machine's."""

from __future__ import annotations

import logging

from common.errors import UserError
from common.installation import INSTALLED
from common.time_mode import VIRTUAL
from scenario.run_request import REAL
from virtual_time.session import explain_missing

_log = logging.getLogger(__name__)


def uses_virtual_time(wanted: str, only_virtual: str = "") -> bool:
    """Whether to run in virtual time: as ``TIME=`` wishes; empty: where it can be had, and for all wishes that only it can fulfil.

    Args:
        wanted: the wish.
        only_virtual: other wishes that only virtual time can fulfil, as make takes them; empty: none.

    Raises:
        UserError: an unknown wish, or one that this machine cannot fulfil.
    """
    if wanted not in ("", VIRTUAL, REAL):
        raise UserError(f"TIME={wanted} is not known", "TIME is virtual (the default where it can be had) or real")
    if wanted == REAL and only_virtual:
        raise UserError(
            f"{only_virtual} is for virtual time: a run in real time needs this machine's own kernel, to itself",
            f"leave out {only_virtual} or TIME=real",
        )
    if wanted == REAL:
        return False
    missing = explain_missing()
    if missing is None:
        return True
    if only_virtual:
        raise UserError(f"{only_virtual} is for virtual time: {missing}", f"or TIME=real without {only_virtual}, as root")
    if INSTALLED is not None:  # nothing else was installed: real time needs packages of the system, root and a checkout
        raise UserError(f"no virtual time: {missing}")
    if wanted == VIRTUAL:
        raise UserError(f"TIME=virtual: {missing}", "or TIME=real, as root")
    _log.warning("in real time, as root, since there is no virtual time here: %s", missing)
    return False
