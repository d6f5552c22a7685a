"""Which schemes a run compares, which of them this machine can have, and the parts of the testbed that each needs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from engine.plan.cell import Cell
from hosts.cca import loader
from hosts.cca.scheme_names import Scheme, parse_all, parse_scheme, split_schemes
from protocol.variant import VariantName
from scenario.scenario import Run, Scenario
from topo.toolchain import SOURCE


def schemes_of(scenario: Scenario) -> list[Scheme]:
    """All schemes of a scenario: those that are compared, and those that transmissions have of their own.

    Raises:
        UserError: there is no such scheme, or no such constant; or links have queue disciplines that cannot be in one program.
    """
    schemes = parse_all([*scenario.run.schemes, *_own_schemes(scenario)])
    _check_disciplines(scenario)
    return schemes


def needed_schemes(cell: Cell) -> list[Scheme]:
    """The cell's scheme, and those that transmissions have of their own."""
    return used_together(cell.scenario, cell.scheme)


def used_together(scenario: Scenario, scheme: str) -> list[Scheme]:
    """Of a run of ``scheme``: it, and those that transmissions have of their own. Errors: see :func:`schemes_of`."""
    schemes = parse_all([scheme, *_own_schemes(scenario)])
    _check_disciplines(scenario)
    return schemes


def _own_schemes(scenario: Scenario) -> list[str]:
    """Of transmissions that have one of their own."""
    schemes = [*(one.scheme for one in scenario.transmissions), *(one.scheme for one in scenario.workloads)]
    return [scheme for scheme in schemes if scheme is not None]


def _check_disciplines(scenario: Scenario) -> None:
    if scenario.p4 is None and len(scenario.discipline_programs) > 1:
        several = " and ".join(scenario.discipline_programs.values())
        raise UserError(
            f"links have the disciplines {several}: each has a P4 program of its own, and switches run one", "choose one of them"
        )


def p4_source_of(schemes: Iterable[Scheme]) -> Path:
    """The program that the switches run for schemes that are used together: the one that a scheme brings, else Nodectl's.

    Raises:
        UserError: two of them bring different programs, or it is not there.
    """
    brought = {scheme.needs.p4_program_path: scheme for scheme in schemes if scheme.needs.p4_program_path}
    if len(brought) > 1:
        names = " and ".join(scheme.text for scheme in brought.values())
        raise UserError(f"{names} cannot be used in one run: each brings a P4 program of its own")
    for path, scheme in brought.items():
        if path is not None and not path.is_file():
            where = "give its path from the project's folder or from the root, or put it beside the scheme's file"
            raise UserError(f"scheme {scheme.text}: there is no P4 program {path}, which `p4_program` of {scheme.name}.toml names", where)
    return next((path for path in brought if path is not None), SOURCE)


def ecn_scheme_of(schemes: Iterable[Scheme]) -> Scheme | None:
    """Of schemes that are used together, the one whose use of ECN the hosts are to follow; None: nobody uses it.

    Raises:
        UserError: two of them do, and receivers can have but one.
    """
    using = {scheme.name: scheme for scheme in schemes if scheme.needs.ecn}
    if len(using) > 1:
        raise UserError(f"{' and '.join(using)} cannot be used in one run: each has a way of its own to echo marks")
    return next(iter(using.values()), None)


def with_schemes(scenario: Scenario, schemes: str) -> Scenario:
    """The scenario with other schemes to compare: names with commas between them; no names leave it as it is.

    Raises:
        UserError: a name that cannot be one, or one given twice.
    """
    names = split_schemes(schemes)
    if not names:
        return scenario
    try:
        run = Run.model_validate(scenario.run.model_dump() | {"schemes": names})
    except ValueError:
        raise UserError(f"SCHEMES={schemes!r} are no names of schemes", "for example SCHEMES=nodectl,cubic,bbr; each name once") from None
    return scenario.model_copy(update={"run": run})


def variant_of(scheme: str) -> VariantName | None:
    """The Nodectl that a scheme's constants name, ``nodectl(variant=deployable)``; None if they name none."""
    wanted = parse_scheme(scheme).constants.get("variant")
    return None if wanted is None else VariantName(str(wanted))


def with_variant(scenario: Scenario, variant: VariantName | None) -> Scenario:
    """The scenario with a Nodectl; with None as it is."""
    return scenario if variant is None else scenario.model_copy(update={"variant": variant})


def check_schemes(schemes: Iterable[Scheme]) -> bool:
    """Every scheme is one of the kernel's or of hosts/cca; returns whether none of them can be had without BPF.

    Raises:
        UserError: the kernel has no such scheme; the message lists those it has.
    """
    schemes = list(schemes)
    for scheme in schemes:
        if scheme.from_kernel and not loader.can_be_chosen(scheme):
            raise UserError(f"this kernel has no scheme {scheme.name}", f"it has: {', '.join(sorted(loader.usable_names()))}")
        if scheme.needs.l4s:
            raise UserError(
                f"{scheme.name} sends its packets as ECT(1), which no BPF program can", "leave out TIME=real: virtual time has it"
            )
    return not any(scheme.from_kernel for scheme in schemes)
