"""``python -m bench.validation [PART] …``: measure in virtual time, print tables, draw pictures. Without a part: all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console

from bench.tools import PROJECT
from bench.validation import cost, disciplines, engine, losses, machine, pacing_gaps, pictures, queues, tables
from common.command_end import end_with
from common.errors import EXIT_CANNOT_RUN, UserError
from common.terminal import terminal

Result = TypeVar("Result")
WIDTH_WITHOUT_TERMINAL = 170
PICTURES = PROJECT / "docs" / "pictures" / "validation"
RESULTS = PROJECT / "results" / "validation"
PACKETS = {0.3: 40_000, 0.5: 60_000, 0.7: 100_000, 0.9: 200_000}
"""By load: the fuller a queue, the longer it remembers."""

KINDS: tuple[queues.Kind, ...] = ("M/D/1", "M/M/1")
PACING_SECONDS = {1.0: 60.0, 10.0: 20.0, 100.0: 5.0}


def main(
    parts: Annotated[list[str] | None, typer.Argument(help="of queues, pacing, losses, disciplines, coupling, cost; without: all")] = None,
    scale: Annotated[float, typer.Option(help="of the number of packets through each queue", min=0.02)] = 1.0,
    seeds: Annotated[int, typer.Option(help="runs of each queue discipline", min=1)] = 5,
    results: Annotated[
        Path, typer.Option(help="folder for run records; losses and disciplines recorded there are not measured again")
    ] = RESULTS,
    draw_in: Annotated[Path, typer.Option("--pictures", help="folder")] = PICTURES,
) -> None:
    """Measure queues, pacing and losses in virtual time beside theory, and the cost of virtual time."""
    console = terminal(WIDTH_WITHOUT_TERMINAL)
    measures: dict[str, Callable[[], None]] = {
        "queues": lambda: _queues(console, scale, draw_in),
        "pacing": lambda: _pacing(console, draw_in),
        "losses": lambda: _losses(console, results, draw_in),
        "disciplines": lambda: console.print(tables.disciplines(_queue_disciplines(disciplines.settings(), seeds, results))),
        "coupling": lambda: console.print(tables.coupled(_queue_disciplines(disciplines.coupled_settings(), seeds, results))),
        "cost": lambda: console.print(tables.cost(cost.measure(results / "cost", console))),
    }
    try:
        for part in parts or measures:
            if part not in measures:
                raise UserError(f"{part} is not known", f"there are {', '.join(measures)}")
            measures[part]()
    except UserError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(EXIT_CANNOT_RUN) from None


def _queues(console: Console, scale: float, folder: Path) -> None:
    found = _side_by_side(
        [partial(queues.measure, kind, load, round(scale * packets)) for kind in KINDS for load, packets in PACKETS.items()]
    )
    console.print(tables.queues(found))
    pictures.draw_queues(found, folder / "queues.svg")


def _pacing(console: Console, folder: Path) -> None:
    found = _side_by_side([partial(pacing_gaps.measure, rate, seconds) for rate, seconds in PACING_SECONDS.items()])
    console.print(tables.pacing(found))
    pictures.draw_pacing(found, folder / "pacing.svg")


def _losses(console: Console, results: Path, folder: Path) -> None:
    found = losses.of_records(engine.measure(losses.FILE, results / "losses", console))
    console.print(tables.losses(found))
    pictures.draw_losses(found, folder / "losses.svg")


def _queue_disciplines(settings: Sequence[disciplines.Setting], seeds: int, results: Path) -> list[disciplines.Comparison]:
    """All runs at once; those of one setting follow one another."""
    runs = [partial(disciplines.measured, one, results / "disciplines") for one in disciplines.of_seeds(settings, seeds)]
    return disciplines.comparisons(settings, _side_by_side(runs))


def _side_by_side(runs: Sequence[Callable[[], Result]]) -> list[Result]:
    with ThreadPoolExecutor(machine.session().side_by_side) as pool:
        return list(pool.map(lambda run: run(), runs))


if __name__ == "__main__":
    end_with(lambda: typer.run(main))
