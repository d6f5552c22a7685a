"""Lab 10: the figure's setting is the paper's, its claims can fail, and their verdicts are computed."""

from __future__ import annotations

from labs.check import Answers, Failed, check, expect_equal
from labs.check.own_experiment import OwnExperiment, interpolated
from reports.claims.judgement import ClaimStatus
from reports.experiment import ReportedExperiment
from scenario.file import Point
from scenario.run_request import Size
from scenario.topologies.dumbbell import Dumbbell

VARIABLE = "loss_percent"
RATE_MBPS, RTT_MS, DURATION_S = 100, 100, 60
MOST_CELLS, MOST_S, MOST_MBPS = 8, 10, 20
LEAST_MS = 0.01
"""As exact as a sum of delays can be asked for."""

VALUES = ("total_mbps", "mean_mbps", "mean_mbps.A")
CUBIC = {0.001: 90.0, 0.01: 30.0, 0.1: 8.0, 1: 2.0, 5: 0.3, 15: 0.05, 50: 0.01}
"""Mbit/s by percent of loss, about as the paper's figure has it: with it every claim has to come true."""


@check(points=2)
def loads(experiment: OwnExperiment) -> None:
    """The file loads in both sizes, and says what it is of."""
    for size in (Size.NORMAL, Size.QUICK):
        read = experiment.read(size)
    if "8" not in read.source or "Cardwell" not in read.source:
        raise Failed(f"source is {read.source!r}, expected authors, journal and number of the figure: Cardwell et al., figure 8")


@check(points=3)
def path(experiment: OwnExperiment) -> None:
    """The path is the paper's: 100 Mbit/s, an RTT of 100 ms, random loss on the way of the data."""
    for point, scenario in experiment.read().scenarios:
        topology = scenario.topology
        if not isinstance(topology, Dumbbell):
            raise Failed(f"topology.kind is {topology.kind}, expected dumbbell")
        bottleneck = topology.bottleneck
        if bottleneck.rate_mbps != RATE_MBPS:
            raise Failed(f"the bottleneck has {bottleneck.rate_mbps:g} Mbit/s, expected {RATE_MBPS}")
        if topology.access.rate_mbps <= RATE_MBPS:
            raise Failed(f"the access links have {topology.access.rate_mbps:g} Mbit/s: they must not be the bottleneck")
        one_way = [(link.there.delay_ms, link.back.delay_ms) for link in (topology.access, bottleneck, topology.access)]
        rtt_ms = sum(there + back for there, back in one_way)
        if abs(rtt_ms - RTT_MS) > LEAST_MS:
            hint = ": delay_ms is one way, and each access link counts too" if rtt_ms > RTT_MS else ""
            raise Failed(f"the RTT of the path is {rtt_ms:g} ms, expected {RTT_MS}{hint}")
        lost = bottleneck.there.loss_percent
        if VARIABLE in point and lost != point[VARIABLE]:
            hint = ': write loss_percent = "= loss_percent"'
            if lost and abs(lost * 100 - float(point[VARIABLE])) < 1e-9:
                hint = ": it is in percent already"
            raise Failed(f"at {VARIABLE} = {point[VARIABLE]} the bottleneck loses {lost:g} %{hint}")
        if bottleneck.back.loss_percent:
            raise Failed("acknowledgements are lost as well: a link's two directions are alike unless `reverse` says otherwise")
        lossy = topology.access.there.loss_percent or topology.access.back.loss_percent
        if lossy:
            raise Failed("the access links lose packets as well: two of them on one way, and the loss is not what the x axis says")
        if len(scenario.all_transmissions) != 1 or scenario.transmissions[0].size_bytes is not None:
            raise Failed("there has to be one transmission, without size_bytes: it sends all the time")


@check(points=3)
def grid_and_schemes(experiment: OwnExperiment) -> None:
    """The grid spans the figure's x axis, both congestion controls are measured for a minute."""
    read = experiment.read()
    values = sorted({float(point[VARIABLE]) for point, _ in read.scenarios if VARIABLE in point})
    if not values:
        raise Failed(f"the grid has no variable {VARIABLE}")
    if len(values) < 5 or values[0] > 0.01 or values[-1] < 15:
        hint = "the paper's x axis goes from 0.001 to 50 percent"
        raise Failed(
            f"the grid has the losses {', '.join(f'{value:g}' for value in values)} %, expected at least five over that range: {hint}"
        )
    missing = {0.1, 1, 5} - set(values)
    if missing:
        raise Failed(f"the grid lacks {', '.join(f'{value:g} %' for value in sorted(missing))}, of which the paper's text speaks")
    for scheme in ("cubic", "bbr"):
        if scheme not in read.schemes:
            raise Failed(f"{scheme} is not measured; run.schemes are {', '.join(read.schemes)}")
    run = read.scenarios[0][1].run
    if run.duration_s != DURATION_S:
        raise Failed(f"run.duration_s is {run.duration_s:g}, expected {DURATION_S}, as in the paper; [quick] may be shorter")


@check(points=2)
def figure(experiment: OwnExperiment) -> None:
    """The figure has goodput over the loss, on a logarithmic axis, with units."""
    panels = [panel for one in experiment.read().definition.figures for panel in one.panels]
    mine = [panel for panel in panels if panel.x == VARIABLE]
    if not mine:
        raise Failed(f"no panel of [[figures]] has x = {VARIABLE!r}")
    panel = mine[0]
    if panel.y not in VALUES:
        raise Failed(f"the panel's y is {panel.y!r}, expected goodput, the payload that arrives: total_mbps")
    if not panel.logarithmic_x:
        raise Failed("the x axis is not logarithmic: from 0.001 to 50 percent, all points but two would be in one place")
    if "Mbit/s" not in panel.y_label or not any(unit in panel.x_label for unit in ("%", "percent")):
        raise Failed(f"the axes are called {panel.x_label!r} and {panel.y_label!r}, expected names with units: percent, Mbit/s")


@check(points=4)
def claims(experiment: OwnExperiment) -> None:
    """Two claims of the paper, by rules that hold on its figure, and do not hold where the figure would be another."""
    read = experiment.read()
    if len(read.definition.claims) != 2:
        raise Failed(f"there are {len(read.definition.claims)} [[claims]], expected two")
    for one in read.definition.claims:
        other = sorted(set(one.values.values()) - set(VALUES))
        if other:
            raise Failed(f"claim {one.text!r} is about {other[0]}, expected goodput: one of {', '.join(VALUES)}")
    for number, judgement in enumerate(experiment.judged_on(read, _as_published), start=1):
        if judgement.status is ClaimStatus.NOT_JUDGED:
            raise Failed(f"claim {number} cannot be judged at any point: a rule names a value of `values` and a scheme: `goodput.cubic`")
        if judgement.status is not ClaimStatus.CONFIRMED:
            raise Failed(
                f"claim {number}, held against numbers read off the paper's own figure, is: {judgement.verdict}. Is its rule the wrong way "
                "round, or does it speak of points that the text does not speak of?"
            )
    if number := _cannot_fail(experiment, read):
        raise Failed(f"claim {number} is confirmed whatever is measured, also if loss does CUBIC no harm: its rule says nothing")


@check(points=2)
def small_size(experiment: OwnExperiment) -> None:
    """The small size is one that a minute is enough for, and still shows what the claims are about."""
    quick = experiment.read(Size.QUICK)
    cells, (_, scenario) = len(quick.cells()), quick.scenarios[0]
    if cells > MOST_CELLS:
        raise Failed(f"[quick] has {cells} cells, expected at most {MOST_CELLS}: give it a shorter grid")
    if scenario.run.duration_s > MOST_S:
        raise Failed(f"[quick] takes {scenario.run.duration_s:g} s a cell, expected at most {MOST_S}")
    topology = scenario.topology
    if isinstance(topology, Dumbbell) and topology.bottleneck.rate_mbps > MOST_MBPS:
        raise Failed(f"[quick] has {topology.bottleneck.rate_mbps:g} Mbit/s, expected at most {MOST_MBPS}: packets are what a run costs")
    for number, judgement in enumerate(experiment.judged_on(quick, _as_published), start=1):
        if judgement.status is ClaimStatus.NOT_JUDGED:
            raise Failed(f"[quick] has no point at which claim {number} can be judged")
    if number := _cannot_fail(experiment, quick):
        raise Failed(f"[quick] has no point at which claim {number} can fail: of which losses does it speak?")


@check(points=4)
def verdict(measured_experiment: OwnExperiment, answers: Answers) -> None:
    """The small size runs, and each claim's verdict is what you say it is."""
    quick: ReportedExperiment = measured_experiment.read(Size.QUICK)
    statuses = [one.value for one in (ClaimStatus.CONFIRMED, ClaimStatus.DIFFERS, ClaimStatus.NOT_CONFIRMED)]
    said = [answers.choice(f"verdict.claim{number}", statuses) for number in (1, 2)]
    for number, judgement in enumerate(measured_experiment.measured(quick), start=1):
        expect_equal(f"verdict.claim{number}", judgement.status.value, said[number - 1], f"the report says: {judgement.verdict}")


def _cannot_fail(experiment: OwnExperiment, read: ReportedExperiment) -> int:
    """The number of the first claim that is confirmed by results of any kind; 0 if there is none."""
    others = [experiment.judged_on(read, goodput) for goodput in (_without_loss, _all_alike, _exchanged)]
    for number, judgements in enumerate(zip(*others, strict=True), start=1):
        if all(one.status is ClaimStatus.CONFIRMED for one in judgements):
            return number
    return 0


def _loss(point: Point) -> float:
    return float(point[VARIABLE]) if VARIABLE in point else 1.0


def _as_published(scheme: str, point: Point) -> float:
    loss = _loss(point)
    if scheme == "bbr":
        return 95 * (1 - loss / 100) if loss <= 15 else 1.0
    return interpolated(CUBIC, loss)


def _without_loss(_scheme: str, _point: Point) -> float:
    return 95.0


def _all_alike(_scheme: str, point: Point) -> float:
    return interpolated(CUBIC, _loss(point))


def _exchanged(scheme: str, point: Point) -> float:
    return _as_published("cubic" if scheme == "bbr" else "bbr", point)
