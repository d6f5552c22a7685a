"""The table of a scenario run: mean throughput of each transmission and scheme, beside the published value."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from experiments.published import published_table, published_value
from experiments.scenario_run import ScenarioResult
from experiments.single_run import NEGOTIATED_SCHEME, RunResult

MEGABIT = 1e6
ETHERNET_HEADER_BYTES = 14
HEADERS_BYTES = 52
"""IPv4, TCP and the time stamp option: what a full packet carries besides payload."""


@dataclass(frozen=True)
class Cell:
    """One measured value with its spread, and the published one."""

    median: float
    lowest: float
    highest: float
    published: float | None

    def __str__(self) -> str:
        spread = "" if self.lowest == self.highest else f" [{self.lowest:.2f}…{self.highest:.2f}]"
        return f"{self.median:.2f}{spread}"

    @property
    def published_text(self) -> str:
        """The published value, or a dash."""
        return "—" if self.published is None else f"{self.published:g}"


def cell(runs: list[RunResult], transmission: str, published: dict[str, Any]) -> Cell | None:
    """The cell of a transmission out of the runs of one scheme, Mbit/s; None without runs."""
    if not runs:
        return None
    values = [run.transmissions[transmission].mean_bps / MEGABIT for run in runs]
    return Cell(median(values), min(values), max(values), published_value(published, transmission, runs[0].scheme))


def rows(result: ScenarioResult) -> tuple[list[str], list[list[str]]]:
    """The table as header and rows of text, for the terminal and for Markdown."""
    scenario = result.scenario
    published = published_table(scenario.published) if scenario.published else {}
    header = ["transmission"]
    for scheme in scenario.run.schemes:
        header += [scheme] + (["published"] if published else [])
    table = []
    for transmission in scenario.transmissions:
        row = [transmission.name]
        for scheme in scenario.run.schemes:
            found = cell(result.of_scheme(scheme), transmission.name, published)
            row += ["no result" if found is None else str(found)] + ([found.published_text if found else "—"] if published else [])
        table.append(row)
    for name, values in (
        ("dropped by queues", [_per_scheme(result, scheme, lambda run: run.queue_drops, "{:.0f}") for scheme in scenario.run.schemes]),
        ("Jain's index", [_per_scheme(result, scheme, lambda run: run.jain, "{:.4f}") for scheme in scenario.run.schemes]),
    ):
        table.append([name] + [text for value in values for text in ([value, ""] if published else [value])])
    return header, table


def terminal_table(result: ScenarioResult) -> Table:
    """The table for the terminal."""
    scenario = result.scenario
    header, body = rows(result)
    table = Table(
        title=f"{scenario.title}: mean payload throughput of the last {scenario.run.measure_last_s:g} s, Mbit/s"
        + (f"\n{scenario.source}" if scenario.source else "")
    )
    for position, name in enumerate(header):
        table.add_column(name, justify="left" if position == 0 else "right", style="dim" if name == "published" else None)
    for position, row in enumerate(body):
        table.add_row(*row, end_section=position == len(scenario.transmissions) - 1)
    return table


def markdown_table(result: ScenarioResult) -> str:
    """The table and the notes below it as Markdown."""
    header, body = rows(result)
    lines = [
        f"# {result.scenario.title}",
        "",
        f"Mean payload throughput of the last {result.scenario.run.measure_last_s:g} s, Mbit/s. {result.scenario.source}",
        "",
        "| " + " | ".join(header) + " |",
        "|" + "---|" * len(header),
        *("| " + " | ".join(row) + " |" for row in body),
        "",
        *(f"- {note}" for note in notes(result)),
        "",
    ]
    return "\n".join(lines)


def notes(result: ScenarioResult) -> list[str]:
    """What to know of the numbers: verdicts, expected share, order of reduction and first data."""
    lines = [f"{run.scheme}: {run.verdict}" for run in result.runs]
    if result.rejected:
        lines.append(f"{len(result.rejected)} run(s) rejected by the fidelity verdict and repeated")
    lines += [f"{scheme}: no result: {reason}" for scheme, reason in result.failures.items()]
    for run in result.of_scheme(NEGOTIATED_SCHEME)[:1]:
        share = expected_share_mbps(result)
        lines.append(f"nodectl: an equal share of the bottleneck is {share:.2f} Mbit/s of payload")
        for newcomer in run.transmissions.values():
            for earlier, lead_s in newcomer.lead_s.items():
                when = "before" if lead_s > 0 else "AFTER"
                lines.append(f"nodectl: {earlier} was reduced {abs(lead_s) * 1000:.1f} ms {when} {newcomer.name}'s first data arrived")
        for transmission in run.transmissions.values():
            if transmission.negotiation != "allocated":
                lines.append(f"nodectl: {transmission.name} got no rate (negotiation: {transmission.negotiation})")
    sources = {f"{run.scheme}: {t.congestion_control}" for run in result.runs for t in run.transmissions.values() if t.congestion_control}
    if sources:
        lines.append("congestion controls: " + ", ".join(sorted(sources)))
    return lines


def expected_share_mbps(result: ScenarioResult) -> float:
    """An equal share of the bottleneck in Mbit/s of payload: payload bytes of a full packet over its frame bytes."""
    scenario = result.scenario
    payload_share = (scenario.packet_bytes - HEADERS_BYTES) / (scenario.packet_bytes + ETHERNET_HEADER_BYTES)
    return scenario.topology.bottleneck.rate_mbps / len(scenario.transmissions) * payload_share


def _per_scheme(result: ScenarioResult, scheme: str, value: Any, form: str) -> str:
    runs = result.of_scheme(scheme)
    return form.format(median(value(run) for run in runs)) if runs else "no result"
