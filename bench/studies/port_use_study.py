"""The reasons for a port's idle capacity under churn: ``python -m bench.studies.port_use_study`` prints the tables of docs/churn.md."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from bench.studies.simulated_network.churn import Form
from bench.studies.simulated_network.port_use import Cost, Idle, PortUse
from protocol.variant import COMPLETE, DEPLOYABLE, FAIR_LEVEL

SEEDS = (1,)
SECONDS = 12.0
WAITING_FOR_WHAT_IS_FREE: dict[str, Any] = {"ends_late": True, "keeps_tokens": False, "grants_on_the_way_back": False}
FREE = Cost(event_us=0, entry_us=0)

VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {"variant": COMPLETE, "ends_late": True},
    "deployable, waiting for free capacity": WAITING_FOR_WHAT_IS_FREE,
    "deployable": {},
    "fair level": {"variant": FAIR_LEVEL},
}
ONE_AT_A_TIME: dict[str, dict[str, Any]] = {
    "deployable, waiting for free capacity": {},
    "controller takes no time": {"cost": FREE},
    "asks again every RTT": {"doubles": False},
    "nobody expected": {"form": Form(alpha=0)},
    "beta of 1 %": {"form": Form(beta=0.01)},
    "a source each": {"hosts": None},
    "token kept": {"keeps_tokens": True},
    "granted on the way back": {"grants_on_the_way_back": True},
    "ends when all is sent": {"ends_late": False},
    "these three together": {"keeps_tokens": True, "grants_on_the_way_back": True, "ends_late": False},
}


def measured(settings: dict[str, Any]) -> dict[str, float]:
    """Medians over the seeds."""
    given: dict[str, Any] = {"form": Form(), "variant": DEPLOYABLE, "seconds": SECONDS} | settings
    rows = [_measured(PortUse(**given, seed=seed)) for seed in SEEDS]
    return {name: median(row[name] for row in rows) for name in rows[0]}


def _measured(run: PortUse) -> dict[str, float]:
    run.carry_out()
    return {
        "slowdown": run.slowdown(50),
        "its p99": run.slowdown(99),
        "sharing": run.sharing,
        "events": run.events,
        "busy, %": run.controller_percent,
        "idle, %": run.unused_percent(),
        **{why.name: run.unused_percent(why) for why in Idle},
    }


def tables() -> Iterator[str]:
    """Lines of Markdown."""
    yield from (f"* {why.name}: {why.value}" for why in Idle)
    yield ""
    yield from _table("variant", VARIANTS)
    yield from _table("one thing at a time", {label: WAITING_FOR_WHAT_IS_FREE | settings for label, settings in ONE_AT_A_TIME.items()})


def _table(name: str, settings: dict[str, dict[str, Any]]) -> Iterator[str]:
    header = False
    for label, one in settings.items():
        row = measured(one)
        if not header:
            yield f"| {name} | {' | '.join(row)} |"
            yield "|---|" + "---:|" * len(row)
            header = True
        yield f"| {label} | {' | '.join(f'{value:.1f}' if name != 'slowdown' else f'{value:.2f}' for name, value in row.items())} |"
    yield ""


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: [print(line, flush=True) for line in tables()])
