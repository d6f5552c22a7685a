"""Figure 11 and table 9: total throughput of a network of sixteen switches, by link loss."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from experiments.expected_share import expected_shares_mbps
from experiments.nodectl_paper.setup import PUBLISHED_NAMES, SCHEMES
from experiments.published import published_table, published_value
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block, Picture, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.measures import BITS_PER_BYTE
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import MISSING, Results
from experiments.reproduction.transfers import Sending
from experiments.topology_figure import draw_loss_curves, draw_topology
from scenario.file import Scenario, load_scenario
from topo.layout import plan_network
from topo.routes import way_between

PUBLISHED = "nodectl/table9_network_throughput_at_0.5%_loss_over_no_loss_percent"
MESH = Path(__file__).resolve().parents[1] / "scenarios" / "mesh.toml"
MBPS = 1e6

USERS, TRUNKS = "to the user", "every link between switches"
"""Which links lose packets, in the direction of the data: the last one of every way, or all but the first and the last."""
LOSSES_PERCENT = (0.1, 0.3, 0.5)
TABLE_LOSS_PERCENT = 0.5

FROM_S = 3.0
"""All have started by then, the last one a second before."""
DURATION_S, QUICK_DURATION_S = 12.0, 6.0
BAR_PERCENT = 99


@cache
def scenario() -> Scenario:
    """Topology and transmissions."""
    return load_scenario(MESH)


class NetworkThroughput(Experiment):
    """Table 9."""

    name = "table9"
    title = "Table 9 and figure 11: total throughput of a network, by link loss"
    source = "section 6.5, figure 11, table 9"

    def cells(self, effort: Effort) -> list[Cell]:
        """No loss, and each loss on either kind of link; in a quick look on the users' links alone."""
        losses = (TABLE_LOSS_PERCENT,) if effort.quick else LOSSES_PERCENT
        points = [(0.0, USERS), *((loss, where) for where in ((USERS,) if effort.quick else (USERS, TRUNKS)) for loss in losses)]
        duration_s = QUICK_DURATION_S if effort.quick else DURATION_S
        return [
            Cell(self.name, scheme, repetition, {"loss_percent": loss, "lossy_links": where, "duration_s": duration_s})
            for repetition in range(1, effort.repetitions + 1)
            for loss, where in points
            for scheme in SCHEMES
        ]

    def network(self, cell: Cell) -> NetworkSpec:  # noqa: ARG002 - one for all
        """The mesh."""
        return NetworkSpec(key="mesh", build=lambda base_port: plan_network(scenario(), base_port), schemes=SCHEMES)

    def duration_s(self, cell: Cell) -> float:
        """As the cell says."""
        return float(cell["duration_s"])

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """All transmissions, begun one after the other, with loss."""
        for number, (here, there) in enumerate(lossy_links(network, cell["lossy_links"])):
            network.set_link(here, there, both_ways=False, seed=1000 * cell.repetition + number, loss_percent=cell["loss_percent"])
        sendings = [
            Sending(t.name, t.sender, t.receiver, cell.scheme, start_s=t.start_s, max_rate_mbps=100, sampled=False)
            for t in scenario().transmissions
        ]
        run = network.transmit(sendings, folder, duration_s=self.duration_s(cell))
        begin_s, end_s = run.start_s + FROM_S, run.start_s + self.duration_s(cell)
        rates = {
            sending.name: run[sending.name].received.increase(begin_s, end_s) * BITS_PER_BYTE / (end_s - begin_s) / MBPS
            for sending in sendings
        }
        return Measurement(
            verdict=run.verdict,
            values={
                "total_mbps": sum(rates.values()),
                "queue_drops": run.queue_drops,
                "lost": run.loss_drops,
                **{f"{name}_mbps": rate for name, rate in rates.items()},
            },
            facts={"congestion_control": run[sendings[0].name].congestion_control},
        )

    def report(self, results: Results) -> list[Block]:
        """The topology, the table, the bar, the figure, and what each transmission got."""
        return [
            Text(
                "The paper's picture of its network is not in our copy. This one is ours: sixteen switches in a grid, links of 40 Mbit/s "
                "between them and of 100 Mbit/s to two servers and eight users, as in the paper; 2 ms one way on a link between switches, "
                "1 ms to a host, queues of 100 packets. Server a sends to the odd users, b to the even ones, begun 0.25 s one after the "
                "other. Some links are shared by transmissions of one server, some by those of both, some by none."
            ),
            Picture("table9_topology", "The network; a line's width is the number of transmissions that cross the link.", _draw_mesh),
            Text(
                f"Throughput counts payload that arrived at the users, of all transmissions together, from second {FROM_S:g} to the end "
                "(so a packet that was lost and sent again counts once). The paper does not say which links lose packets. Two ways: the "
                "link to each user, so that every packet passes one lossy link; and every link between switches, of which a packet passes "
                "two to five. In the direction of the data either way. Since nobody can deliver more than what is not lost, the last "
                "column says what a scheme can reach at most that sends at the rate it has without loss."
            ),
            *self._ratios(results),
            self._totals(results),
            Picture(
                "figure11",
                "Total throughput by link loss (median, lowest, highest).",
                lambda file: draw_loss_curves(file, _curves(results)),
            ),
            self._shares(results),
        ]

    def _ratios(self, results: Results) -> list[Block]:
        published = published_table(PUBLISHED)
        rows = []
        missed = []
        for where in (USERS, TRUNKS):
            ratios = {scheme: ratio_percent(results, scheme, where) for scheme in SCHEMES}
            rows.append(
                [f"measured, loss on {_links(where)}", *(_shown(ratios[scheme]) for scheme in SCHEMES), f"{most_percent(where):.1f}"]
            )
            nodectl = ratios["nodectl"]
            if nodectl is not None and nodectl < BAR_PERCENT:
                missed.append(
                    f"With loss on {_links(where)}, Nodectl has {nodectl:.1f} %. {BAR_PERCENT} % are out of reach there: its transmissions "
                    f"keep their rates, and {100 - most_percent(where):.1f} % of what they send is lost on the way."
                    if most_percent(where) < BAR_PERCENT
                    else f"With loss on {_links(where)}, Nodectl has {nodectl:.1f} %, below the {BAR_PERCENT} % that are expected of it."
                )
        values = [published_value({"all": published}, "all", scheme) for scheme in SCHEMES]
        rows.append(["published", *(MISSING if value is None else f"{value:g}" for value in values), ""])
        caption = f"Total throughput at {TABLE_LOSS_PERCENT:g} % loss over that without loss, percent (of the medians)."
        table = Table(caption, ["", *(PUBLISHED_NAMES[s] for s in SCHEMES), "at most"], rows)
        return [table, *(Text(sentence) for sentence in missed)]

    def _totals(self, results: Results) -> Table:
        rows = []
        for where, loss in dict.fromkeys((r.parameters["lossy_links"], r.parameters["loss_percent"]) for r in results.records):
            shown = "no loss" if loss == 0 else f"{loss:g} % on {_links(str(where))}"
            point: dict[str, Any] = {"lossy_links": where, "loss_percent": loss}
            rows.append([shown, *(results.text("total_mbps", s, **point) for s in SCHEMES)])
            rows.append(["packets dropped by queues", *(results.text("queue_drops", s, "{:.0f}", **point) for s in SCHEMES)])
        return Table("Total throughput, Mbit/s of payload.", ["", *(PUBLISHED_NAMES[s] for s in SCHEMES)], rows)

    def _shares(self, results: Results) -> Table:
        fair = expected_shares_mbps(scenario())
        rows = []
        for t in scenario().transmissions:
            measured = [results.text(f"{t.name}_mbps", s, loss_percent=0.0) for s in SCHEMES]
            rows.append([t.name, *measured, f"{fair[t.name]:.1f}"])
        rows.append(["together", *(results.text("total_mbps", s, loss_percent=0.0) for s in SCHEMES), f"{sum(fair.values()):.1f}"])
        header = ["transmission", *(PUBLISHED_NAMES[s] for s in SCHEMES), "max-min fair"]
        return Table("Each transmission without loss, Mbit/s of payload, and what an ideal max-min fair allocation gives it.", header, rows)


def lossy_links(network: RunningNetwork, where: str) -> list[tuple[str, str]]:
    """Directions of links, each once, in a fixed order."""
    found: dict[tuple[str, str], None] = {}
    for t in scenario().transmissions:
        way = way_between(network.plan, t.sender, t.receiver)
        steps = list(pairwise(way))
        found.update(dict.fromkeys(steps[-1:] if where == USERS else steps[1:-1]))
    return list(found)


def most_percent(where: str) -> float:
    """What is left of the total at the table's loss if everybody sends on at the fair rate, percent."""
    fair = expected_shares_mbps(scenario())
    plan = plan_network(scenario())
    kept = 1 - TABLE_LOSS_PERCENT / 100
    left = 0.0
    for t in scenario().transmissions:
        lossy = 1 if where == USERS else len(way_between(plan, t.sender, t.receiver)) - 3
        left += fair[t.name] * kept**lossy
    return 100 * left / sum(fair.values())


def ratio_percent(results: Results, scheme: str, where: str) -> float | None:
    """The table's value."""
    without = results.spread("total_mbps", scheme, loss_percent=0.0)
    with_loss = results.spread("total_mbps", scheme, loss_percent=TABLE_LOSS_PERCENT, lossy_links=where)
    return None if without is None or with_loss is None or not without.median else 100 * with_loss.median / without.median


def _links(where: str) -> str:
    return "the link to the user" if where == USERS else where


def _shown(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def _draw_mesh(file: Path) -> None:
    draw_topology(scenario(), file)


def _curves(results: Results) -> dict[str, dict[str, list[tuple[float, float, float, float]]]]:
    """By kind of lossy links and scheme: (loss, median, lowest, highest)."""
    curves: dict[str, dict[str, list[tuple[float, float, float, float]]]] = {}
    for where in (USERS, TRUNKS):
        by_scheme = curves.setdefault(f"loss on {_links(where)}", {})
        for scheme in SCHEMES:
            for loss in sorted({float(point) for point in results.points("loss_percent")}):
                point: dict[str, Any] = {"loss_percent": loss} | ({"lossy_links": where} if loss else {})
                found = results.spread("total_mbps", scheme, **point)
                if found is not None:
                    by_scheme.setdefault(PUBLISHED_NAMES[scheme], []).append((loss, found.median, found.lowest, found.highest))
    return curves
