"""Which schemes a run is to compare, and which of them can be had on this machine."""

from __future__ import annotations

from hosts.cca import loader, sources
from protocol.errors import UserError
from scenario.file import Run, Scenario


def bpf_schemes(scenario: Scenario) -> list[str]:
    """The scenario's schemes that the testbed brings as BPF programs."""
    ours = set(sources.available())
    return [scheme for scheme in scenario.run.schemes if scheme in ours]


def with_schemes(scenario: Scenario, schemes: str) -> Scenario:
    """The scenario with other schemes: names with commas or spaces between them; no names leave it as it is.

    Raises:
        UserError: a name that cannot be one, or one given twice.
    """
    names = schemes.replace(",", " ").split()
    if not names:
        return scenario
    try:
        run = Run.model_validate(scenario.run.model_dump() | {"schemes": names})
    except ValueError:
        raise UserError(f"SCHEMES={schemes!r} are no names of schemes", "for example SCHEMES=nodectl,cubic,bbr; each name once") from None
    return scenario.model_copy(update={"run": run})


def check_schemes(scenario: Scenario) -> bool:
    """Every scheme is one of the kernel's or of hosts/cca; returns whether none of them can be had without BPF.

    Raises:
        UserError: there is no such scheme; the message lists those there are.
    """
    ours = set(sources.available())
    unknown = [scheme for scheme in scenario.run.schemes if scheme not in ours and not loader.can_be_chosen(scheme)]
    usable = set(loader.usable_names())
    if unknown:
        raise UserError(f"there is no scheme {', '.join(unknown)}", f"this machine can have: {', '.join(sorted(ours | usable))}")
    return not usable.intersection(scenario.run.schemes)
