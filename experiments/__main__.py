"""``python -m experiments``: run a scenario, reproduce a paper, or open the Mininet prompt on a network."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from protocol.command_end import end_with
from protocol.command_line import let_signals_interrupt, run_command
from protocol.errors import UserError
from scenario.file import Size
from topo.network_plan import GRPC_BASE_PORT
from topo.preflight import PROJECT, check_commands, check_root
from topo.toolchain import EMBEDDED, choose

SCENARIOS = PROJECT / "experiments" / "scenarios"
RESULTS = PROJECT / "results"
EXIT_NO_RESULT = 1
WIDTH_WITHOUT_TERMINAL = 120

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

ScenarioArgument = Annotated[str, typer.Argument(help="a scenario file, or the name of one in experiments/scenarios/")]
SwitchOption = Annotated[str, typer.Option(help="embedded, or bmv2 where p4c and simple_switch_grpc are installed")]
CompilerOption = Annotated[str, typer.Option(help="embedded or p4c; left out, the one that goes with the switch")]
SchemesOption = Annotated[str, typer.Option(help="instead of the scenario's schemes, with commas between them: nodectl,cubic,bbr")]
PortOption = Annotated[int, typer.Option(help="P4Runtime port of the first switch; the others follow", min=1024, max=65000)]
SeedOption = Annotated[int | None, typer.Option(help="of every random choice, instead of the scenario's", min=0, max=2**31 - 1)]
TimeOption = Annotated[str, typer.Option("--time", help="virtual, or real (as root); left out, virtual where it can be had")]
ClusterOption = Annotated[
    str, typer.Option(help="in virtual time: the address of a Ray cluster to hand cells to, or auto for a Ray on this machine")
]
QuickOption = Annotated[bool, typer.Option(help="a coarser grid and shorter runs, for a look")]
LiveOption = Annotated[bool, typer.Option(help="serve a page beside the run, and print its address (docs/live-page.md)")]
ListenOption = Annotated[str, typer.Option(help="with --live: ADDRESS, :PORT or ADDRESS:PORT instead of 127.0.0.1:8765")]
TraceOption = Annotated[str, typer.Option(help="packets to trace: a transmission's name, or a filter such as 'src h1 udp count 5'")]
CaptureOption = Annotated[str, typer.Option(help="ends of links whose frames are recorded: s1-s2,h1-s1, or all")]
FullOption = Annotated[bool, typer.Option(help="the published sizes, which take long")]


@app.command()
def run(
    scenario: ScenarioArgument = "staggered",
    switch: SwitchOption = EMBEDDED,
    compiler: CompilerOption = "",
    grpc_base_port: PortOption = GRPC_BASE_PORT,
    schemes: SchemesOption = "",
    quick: QuickOption = False,
    full: FullOption = False,
    wanted_time: TimeOption = "",
    seed: SeedOption = None,
    cluster: ClusterOption = "",
    capture: CaptureOption = "",
    live: LiveOption = False,
    listen: ListenOption = "",
    trace: TraceOption = "",
) -> None:
    """Run every scheme of a scenario, print the table, save picture and samples."""
    toolchain = choose(switch, compiler)
    page = _page(live=live, listen=listen)
    # Only now: libraries take a second to load, and mistakes are to be told at once.
    from experiments.run.bring_up import check_can_run, wanted_ends
    from experiments.run.command import new_result_folder, point_latest_to, run_experiment
    from experiments.run.experiment import Effort, Experiment
    from experiments.run.options import RunOptions
    from experiments.run.tracing import trace_filter
    from experiments.run.which_time import is_virtual

    size = size_of(quick=quick, full=full)
    virtual = is_virtual(wanted_time, cluster)
    effort = Effort(size, schemes=schemes, seed=seed, virtual=virtual)
    experiment = Experiment.read(scenario_path(scenario), effort)
    chosen = trace_filter(trace, [one for _, one in experiment.scenarios])
    if chosen and toolchain.bmv2 is not None:
        raise UserError("TRACE= is of the embedded switch; BMv2 has its own log", "leave out SWITCH=bmv2")
    if not virtual:
        check_root()
        check_commands()
    scenarios = [one for _, one in experiment.scenarios]
    ends = wanted_ends(capture, scenarios, toolchain)
    check_can_run(scenarios, toolchain, grpc_base_port, virtual=virtual)
    folder = new_result_folder(RESULTS, experiment.name)
    console = _console()
    options = RunOptions(toolchain, grpc_base_port, console, virtual=virtual, cluster=cluster, capture=ends, trace=chosen)
    complete = run_experiment(experiment, folder, options, page)
    point_latest_to(folder)
    if not complete:
        raise typer.Exit(EXIT_NO_RESULT)


@app.command()
def cli(
    scenario: ScenarioArgument = "staggered",
    switch: SwitchOption = EMBEDDED,
    compiler: CompilerOption = "",
    grpc_base_port: PortOption = GRPC_BASE_PORT,
    schemes: SchemesOption = "",
    capture: CaptureOption = "",
    live: LiveOption = False,
    listen: ListenOption = "",
) -> None:
    """Bring a scenario's network up and open the Mininet prompt."""
    toolchain = choose(switch, compiler)
    from experiments.run.bring_up import check_can_run, wanted_ends
    from experiments.run.command import new_result_folder
    from experiments.run.experiment import Effort, Experiment

    experiment = Experiment.read(scenario_path(scenario), Effort(schemes=schemes))
    first = experiment.scenarios[0][1]
    ends = wanted_ends(capture, [first], toolchain)
    check_root()
    check_commands()
    check_can_run([first], toolchain, grpc_base_port)
    from experiments.prompt import open_prompt

    folder = new_result_folder(RESULTS, f"cli-{experiment.name}")
    page = _page(live=live, listen=listen)
    open_prompt(first, folder, toolchain=toolchain, grpc_base_port=grpc_base_port, capture=ends, page=page)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="which paper, a folder of experiments/papers/; all: every one of them")] = "nodectl",
    only: Annotated[str, typer.Option(help="only these experiments, separated by commas")] = "",
    quick: QuickOption = False,
    full: FullOption = False,
    repetitions: Annotated[int, typer.Option(help="of every cell; 0: as the files say, else 3, or 1 for a quick look", min=0, max=100)] = 0,
    fresh: Annotated[bool, typer.Option(help="measure anew what is measured already")] = False,
    keep_samples: Annotated[bool, typer.Option(help="keep the raw samples of every cell")] = False,
    report_only: Annotated[bool, typer.Option(help="measure nothing; write the report of what there is")] = False,
    reports: Annotated[Path | None, typer.Option(help="folder for reports that are to be kept, instead of beside the results")] = None,
    switch: SwitchOption = EMBEDDED,
    compiler: CompilerOption = "",
    grpc_base_port: PortOption = GRPC_BASE_PORT,
    wanted_time: TimeOption = "",
    cluster: ClusterOption = "",
) -> None:
    """Measure the tables and figures of a paper, or of all, and write reports with measured beside published."""
    toolchain = choose(switch, compiler)
    from experiments.reproduce import Request
    from experiments.reproduce import reproduce as measure_and_report
    from experiments.run.command import shown
    from experiments.run.options import RunOptions
    from experiments.run.which_time import is_virtual

    wanted = tuple(name.strip() for name in only.split(",") if name.strip())
    request = Request(paper, wanted, size_of(quick=quick, full=full), repetitions, fresh=fresh, report_only=report_only)
    console = _console()
    try:
        virtual = is_virtual(wanted_time, cluster)
        options = RunOptions(toolchain, grpc_base_port, console, keep_samples, virtual=virtual, cluster=cluster)
        done = measure_and_report(request, RESULTS, options, reports)
    except KeyboardInterrupt:
        console.print("what was measured is kept; the same command goes on from here", highlight=False)
        raise
    for file in done.files:
        console.print(f"report: {shown(file)}", highlight=False)
    if not done.complete and not report_only:
        raise typer.Exit(EXIT_NO_RESULT)


def scenario_path(wanted: str) -> Path:
    """The file of a scenario, by path or by name.

    Raises:
        UserError: there is none.
    """
    path = Path(wanted)
    if path.suffix != ".toml" and (SCENARIOS / f"{wanted}.toml").exists():
        return SCENARIOS / f"{wanted}.toml"
    if not path.exists():
        names = ", ".join(sorted(file.stem for file in SCENARIOS.glob("*.toml")))
        raise UserError(f"there is no scenario {wanted!r}", f"give the path of a scenario file, or one of: {names}")
    return path


def size_of(*, quick: bool, full: bool) -> Size:
    """How much is measured.

    Raises:
        UserError: both a look and the published sizes are wanted.
    """
    if quick and full:
        raise UserError(
            "QUICK=1 and FULL=1 contradict each other", "QUICK=1 is a look in minutes, FULL=1 the published sizes; without, what is between"
        )
    return Size.QUICK if quick else Size.FULL if full else Size.NORMAL


def _page(*, live: bool, listen: str) -> list[str] | None:
    """Options of the page that is served beside; None: none is.

    Raises:
        UserError: there is no page, but a place for it.
    """
    if listen and not live:
        raise UserError(f"LISTEN={listen} is where the live page is, and there is none", "LIVE=1 serves one")
    return (["--listen", listen] if listen else []) if live else None


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL)


def main() -> int:
    """Run the command line."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    let_signals_interrupt()
    return run_command(lambda: app(standalone_mode=False), "interrupted; everything that was started is down again")


if __name__ == "__main__":
    end_with(main)
