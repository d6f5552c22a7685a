"""Whether runs are in virtual time or in the machine's."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from common.errors import UserError
from common.installation import INSTALLED
from common.time_mode import VIRTUAL
from scenario.run_request import REAL
from scenario.scenario import Scenario
from virtual_time.kernel.choice import KernelChoice
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


def check_kernels(scenarios: Sequence[Scenario], *, virtual: bool) -> None:
    """Every Linux that hosts are to have can be had.

    Raises:
        UserError: a run in real time names one, or there is none of that name.
    """
    for kernel in dict.fromkeys(filter(None, (scenario.run.kernel for scenario in scenarios))):
        if not virtual:
            raise UserError(f"kernel = {kernel!r} is for virtual time: hosts in real time have this machine's own", "leave out TIME=real")
        KernelChoice.of(kernel)
