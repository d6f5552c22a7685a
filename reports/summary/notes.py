"""Notes on a run's numbers: verdicts, incidents on the way, order of reduction and first data, transmissions that got no rate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from common.installation import PROJECT
from engine.collect.record import SAMPLES, CellRecord, inputs_without_cells
from engine.plan.queue_programs import with_queues
from engine.plan.schemes import p4_source_of, used_together, variant_of, with_variant
from reports.experiment import ReportedExperiment
from reports.results import Results
from scenario.run_request import EMBEDDED
from topo.toolchain import Toolchain, program_of

LEAD = "lead_ms."


def notes(experiment: ReportedExperiment, results: Results, toolchain: Toolchain) -> list[str]:
    """The notes, one line each.

    Args:
        experiment: that was measured.
        results: of the experiment.
        toolchain: that it ran on.
    """
    several = len(experiment.scenarios) > 1
    lines = []
    for record in results.records:
        who = str(record) if several else _short(record)
        if record.failure is not None:
            first = record.failure.splitlines()[0]
            lines.append(f"{who}: {first}" if record.is_left_out else f"{who}: no result: {first}")
            continue
        lines.append(f"{who}: {record.verdict}")
        if "happened" in record.facts:
            lines.append(f"{who}: {record.facts['happened']}")
        lines += [f"{who}: {line}" for line in _negotiations(record)]
    rejected = sum(len(record.rejected) for record in results.records)
    if rejected:
        lines.append(f"{rejected} run(s) rejected by the fidelity verdict and repeated")
    lines += _p4_programs(experiment, results.records)
    lines += _identity(results.records)
    if len(kernels := dict.fromkeys(record.kernel for record in results.records if record.kernel)) > 1:
        lines.append(f"hosts' kernels: {', '.join(kernels)}")
    described = toolchain.describe()
    if any(value != EMBEDDED for value in described.values()):
        lines.append("toolchain: " + ", ".join(f"{part} {value}" for part, value in described.items()))
    sources = {
        f"{name.partition('.')[2]}: {value}"
        for r in results.records
        for name, value in r.facts.items()
        if name.startswith("congestion_control.")
    }
    if sources:
        lines.append("congestion controls: " + ", ".join(sorted(sources)))
    return lines


def _p4_programs(experiment: ReportedExperiment, records: Sequence[CellRecord]) -> list[str]:
    """The programs of the switches: for users who have several, and want to know which of them made these numbers."""
    scenarios = [scenario for _, scenario in experiment.scenarios]
    own = {name: switch.p4 for scenario in scenarios for name, switch in scenario.switches.items() if switch.p4 is not None}
    own_lines = [f"P4 program of {name}: {_from_project(program)}" for name, program in own.items()]
    used: dict[str, dict[str, None]] = {}
    for scheme in dict.fromkeys(record.scheme for record in records if record.is_result):
        named = variant_of(scheme)
        for scenario in scenarios:
            chosen = with_queues(with_variant(scenario, named), scheme)
            program = chosen.common_p4 or program_of(chosen.nodectl, p4_source_of(used_together(scenario, scheme)))
            used.setdefault(_from_project(program), {})[scheme] = None
    told = [file if len(used) == 1 else f"{file} ({', '.join(schemes)})" for file, schemes in used.items()]
    return [*own_lines, *([f"P4 program of all {'other ' if own_lines else ''}switches: {', '.join(told)}"] if told else [])]


def _from_project(file: Path) -> str:
    return str(file.relative_to(PROJECT)) if file.is_relative_to(PROJECT) else str(file)


def _identity(records: Sequence[CellRecord]) -> list[str]:
    """Checksums of the samples in virtual time, and of their inputs; samples are the same wherever their inputs are."""
    samples = [f"{_short(record)} {record.facts[SAMPLES]}" for record in records if SAMPLES in record.facts]
    if not samples:
        return []
    inputs = "; ".join(inputs_without_cells(records))
    return [f"checksum of the samples: {', '.join(samples)}", f"they are the same wherever these are: {inputs}"]


def _short(record: CellRecord) -> str:
    return record.scheme + (f" #{record.repetition}" if record.repetition > 1 else "")


def _negotiations(record: CellRecord) -> list[str]:
    lines = []
    for name, lead_ms in record.values.items():
        if name.startswith(LEAD) and lead_ms is not None:
            earlier, newcomer = name.removeprefix(LEAD).split(".")
            when = "before" if lead_ms > 0 else "AFTER"
            lines.append(f"{earlier} was reduced {abs(lead_ms):.1f} ms {when} {newcomer}'s first data arrived")
    for name, value in record.facts.items():
        if name.startswith("negotiation.") and value != "allocated":
            lines.append(f"{name.partition('.')[2]} got no rate (negotiation: {value})")
    return lines
