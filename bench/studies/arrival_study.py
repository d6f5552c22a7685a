"""The effect of Algorithm 1's parameters under churn: ``python -m bench.studies.arrival_study`` prints the tables of docs/churn.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from typing import Any

from bench.studies.simulated_network.churn import ChurnRun, Form

SEEDS = (1, 2, 3)
SECONDS = 20.0
NEAR_MS, FAR_MS = 10.0, 160.0
HEADER = (
    "Q_T", "came", "first / fair", "slowdown", "its p99", "idle, %", "messages", "over capacity, s",
)  # fmt: skip
SETTINGS: dict[str, Sequence[tuple[str, dict[str, Any]]]] = {
    "load": [(f"{percent} %", {"form": Form(), "load": percent / 100}) for percent in (10, 30, 50, 70, 80, 90)],
    "alpha, at 80 %": [(f"{alpha:g}", {"form": Form(alpha=alpha)}) for alpha in (0, 0.5, 1, 2, 4)],
    "window, at 80 %": [(f"{1e-6 * (1 << bits):.3g} s", {"form": Form(window_us=1 << bits)}) for bits in (16, 18, 20, 22)],
    "beta, at 80 %": [(f"{beta:.0%} of the port", {"form": Form(beta=beta)}) for beta in (0, 0.01, 0.05, 0.2)],
}
MIXED = [(f"alpha {alpha:g}", {"form": Form(alpha=alpha), "rtts_ms": (NEAR_MS, FAR_MS)}) for alpha in (0, 1, 2)]


def row(settings: dict[str, Any], rtt_ms: float | None = None) -> list[float]:
    """Medians over the seeds, in the order of ``HEADER``."""
    return [
        median(column) for column in zip(*(_row(ChurnRun(**settings, seconds=SECONDS, seed=seed), rtt_ms) for seed in SEEDS), strict=True)
    ]


def _row(run: ChurnRun, rtt_ms: float | None) -> list[float]:
    run.carry_out()
    came, expected = run.came_over_expected(rtt_ms)
    return [
        max(1.0, expected), came, run.first_over_fair(rtt_ms), run.slowdown(50, rtt_ms), run.slowdown(99, rtt_ms), run.idle_percent,
        run.messages, run.above_s,
    ]  # fmt: skip


def tables() -> Iterator[str]:
    """Lines of Markdown."""
    with ProcessPoolExecutor(1) as pool:
        for name, settings in SETTINGS.items():
            yield from _table(name, [label for label, _ in settings], list(pool.map(row, [one for _, one in settings])))
        labels = [f"{label}, RTT of {rtt:g} ms" for label, _ in MIXED for rtt in (NEAR_MS, FAR_MS)]
        wanted = [(one, rtt) for _, one in MIXED for rtt in (NEAR_MS, FAR_MS)]
        yield from _table("two RTTs, at 80 %", labels, list(pool.map(row, *zip(*wanted, strict=True))))


def _table(name: str, labels: Sequence[str], rows: Sequence[Sequence[float]]) -> Iterator[str]:
    yield f"| {name} | {' | '.join(HEADER)} |"
    yield "|---|" + "---:|" * len(HEADER)
    for label, values in zip(labels, rows, strict=True):
        yield f"| {label} | {' | '.join(f'{value:.2f}' for value in values)} |"
    yield ""


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: [print(line, flush=True) for line in tables()])
