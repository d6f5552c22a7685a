"""The table of a scenario run: mean throughput of each transmission and scheme, beside the published value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from experiments.expected_share import expected_shares_mbps
from experiments.published import published_table, published_value
from experiments.scenario_run import ScenarioResult
from experiments.single_run import NEGOTIATED_SCHEME, RunResult
from topo.toolchain import EMBEDDED

MEGABIT = 1e6


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
    def with_published(self) -> str:
        """The measured value, and the published one in brackets where there is one."""
        return str(self) if self.published is None else f"{self} ({self.published:g})"


def cell(runs: list[RunResult], transmission: str, published: dict[str, Any]) -> Cell | None:
    """The cell of a transmission out of the runs of one scheme, Mbit/s; None without runs."""
    if not runs:
        return None
    values = [run.transmissions[transmission].mean_bps / MEGABIT for run in runs]
    return Cell(median(values), min(values), max(values), published_value(published, transmission, runs[0].scheme))


def rows(result: ScenarioResult) -> tuple[list[str], list[list[str]]]:
    """The table as header and rows of text, a row a scheme, for the terminal and for Markdown."""
    scenario = result.scenario
    published = published_table(scenario.published) if scenario.published else {}
    names = [transmission.name for transmission in scenario.transmissions]
    table = []
    for scheme in scenario.run.schemes:
        runs = result.of_scheme(scheme)
        cells = [cell(runs, name, published) for name in names]
        absent = "left out" if scheme in result.skipped else "—"
        values = [found.with_published if found else absent for found in cells]
        table.append([scheme, *values, _median(runs, lambda run: run.queue_drops, "{:.0f}"), _median(runs, lambda run: run.jain, "{:.4f}")])
    return ["scheme", *names, "dropped", "Jain's index"], table


def caption(result: ScenarioResult) -> str:
    """What the numbers are."""
    scenario = result.scenario
    text = f"mean payload throughput of the last {scenario.run.measure_last_s:g} s, Mbit/s"
    if scenario.run.repetitions > 1:
        text += f", median of {scenario.run.repetitions} [lowest…highest]"
    text += "; dropped: packets, by the links' queues"
    return text + (f"; in brackets the published value ({scenario.source})" if scenario.published else "")


def terminal_table(result: ScenarioResult) -> Table:
    """The table for the terminal."""
    header, body = rows(result)
    table = Table(title=result.scenario.title, caption=caption(result), caption_justify="left")
    for position, name in enumerate(header):
        table.add_column(name, justify="left" if position == 0 else "right")
    for row in body:
        table.add_row(*row)
    return table


def markdown_table(result: ScenarioResult) -> str:
    """The table and the notes below it as Markdown."""
    header, body = rows(result)
    lines = [
        f"# {result.scenario.title}",
        "",
        f"{caption(result)}.",
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
    if any(value != EMBEDDED for value in result.toolchain.values()):
        lines.append("toolchain: " + ", ".join(f"{part} {value}" for part, value in result.toolchain.items()))
    if result.rejected:
        lines.append(f"{len(result.rejected)} run(s) rejected by the fidelity verdict and repeated")
    lines += [f"{scheme}: no result: {reason}" for scheme, reason in result.failures.items()]
    lines += [f"{scheme}: left out: {reason}" for scheme, reason in result.skipped.items()]
    for run in result.of_scheme(NEGOTIATED_SCHEME)[:1]:
        lines.append(f"nodectl: {_shares_in_words(result)}")
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
    """The smallest fair share in Mbit/s of payload: on a dumbbell, an equal share of the bottleneck."""
    return min(expected_shares_mbps(result.scenario).values())


def _shares_in_words(result: ScenarioResult) -> str:
    shares = expected_shares_mbps(result.scenario)
    if max(shares.values()) - min(shares.values()) < 0.005:
        return f"an equal share of the bottleneck is {min(shares.values()):.2f} Mbit/s of payload"
    return "max-min fair shares are " + ", ".join(f"{name} {share:.2f}" for name, share in shares.items()) + " Mbit/s of payload"


def _median(runs: list[RunResult], value: Callable[[RunResult], float], form: str) -> str:
    return form.format(median(value(run) for run in runs)) if runs else "—"
