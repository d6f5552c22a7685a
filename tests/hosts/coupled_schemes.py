"""Which schemes couple the subflows of an MPTCP connection: their sources say so."""

from __future__ import annotations

from hosts.cca.sources import available

COUPLED = tuple(name for name, found in available().items() if '#include "mptcp_paths.h"' in found.source.read_text(encoding="utf-8"))
