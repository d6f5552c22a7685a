"""The needs of a scheme beside its congestion control: ``NAME.toml`` beside ``NAME.bpf.c``. Without that file it has none.

- ``negotiates = true``: the hosts negotiate its rate (hosts/negotiator.py) and set it on the socket.
- ``asks_every_rtt = true``: they also ask for it anew every round trip (hosts/rate_probes.py), and the network keeps no records.
- ``says_its_rate = true``, besides: each question has the present rate as its minimum, and the answer is what routers have made of it.
- ``reads_telemetry = true``, besides: each question brings back records of the links on its way, and the host computes the rate
  (hosts/hpcc_window.py).
- ``p4_program = "p4src/nodectl.p4"``: the switches run this, from the project's folder. It may also be a file beside the declaration,
  ``own.p4``, or any other file, ``/home/ada/own.p4``.
- ``ecn = true``: its connections use Explicit Congestion Notification. Hosts are told so, and receivers have the scheme as well, since
  it may decide how marks are echoed.
- ``l4s = true``, besides: its packets are ECT(1) (RFC 9331), which only the module frame can give them, so it is for virtual time. Where
  hosts' kernels have Accurate ECN, they use it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from common.errors import UserError
from common.installation import PROJECT
from hosts.cca.sources import SOURCE_SUFFIX, SchemeSource
from scenario.schema_errors import schema_errors

DECLARATION_SUFFIX = ".toml"


class Needs(BaseModel):
    """The needs that a scheme declares; the defaults are those of a scheme that is a congestion control and nothing else."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    negotiates: bool = False
    asks_every_rtt: bool = False
    says_its_rate: bool = False
    reads_telemetry: bool = False
    p4_program: str | None = None
    ecn: bool = False
    l4s: bool = False

    @property
    def p4_program_path(self) -> Path | None:
        """Where its data plane is to be; None if any will do."""
        return None if self.p4_program is None else PROJECT / self.p4_program


def needs_of(source: SchemeSource) -> Needs:
    """The needs that the scheme of ``source`` declares.

    Raises:
        UserError: the declaration is no TOML, or has an unknown field or a value of another kind.
    """
    file = source.source.with_name(source.source.name.removesuffix(SOURCE_SUFFIX) + DECLARATION_SUFFIX)
    if not file.exists():
        return Needs()
    try:
        needs = Needs.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file}: {error}", "hosts/cca/nodectl.toml is an example") from None
    except ValidationError as error:
        lines = schema_errors(file, error, Needs)
        raise UserError("\n".join(lines), f"a scheme can declare: {', '.join(Needs.model_fields)}") from None
    if needs.p4_program is not None and (beside := file.parent / needs.p4_program).is_file():
        needs = needs.model_copy(update={"p4_program": str(beside.resolve())})
    return needs
