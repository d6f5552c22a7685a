"""Pictures of a network and of what it carries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from scenario.scenario import Scenario
from scenario.topologies.graph import Graph
from topo.layout import plan_network
from topo.routes import way_between

HOST_DISTANCE = 0.42
HOST_ANGLES = (225, 315, 135, 45)
"""Degrees, of the hosts at one switch one after the other."""

Point = tuple[float, float, float, float]
"""x, median, lowest, highest."""


def draw_topology(scenario: Scenario, file: Path) -> None:
    """Draw a graph: its switches row by row in the order of the file, as nearly a square as goes, and its hosts beside them."""
    graph = scenario.topology
    assert isinstance(graph, Graph)
    place = _places(graph)
    plan = plan_network(scenario)
    ways = [way_between(plan, t.sender, t.receiver) for t in scenario.transmissions]
    crossed = Counter(frozenset(step) for way in ways for step in pairwise(way))
    senders = {t.sender for t in scenario.transmissions}
    figure, axes = plt.subplots(figsize=(7.5, 6.0), layout="constrained")
    for pair, link in [(trunk.between, graph.link_of(trunk)) for trunk in graph.links] + [
        (pair, graph.access) for pair in graph.attached.items()
    ]:
        (x1, y1), (x2, y2) = place[pair[0]], place[pair[1]]
        count = crossed[frozenset(pair)]
        is_trunk = pair[0] in graph.switches
        axes.plot([x1, x2], [y1, y2], color="tab:blue" if count and is_trunk else "0.6", linewidth=1 + 1.6 * count, zorder=1)
        if is_trunk and count:
            axes.text((x1 + x2) / 2, (y1 + y2) / 2 + 0.06, f"{count} on {link.rate_mbps:g} Mbit/s", fontsize=6, ha="center", zorder=4)
    for name in graph.switches:
        axes.scatter(*place[name], s=420, marker="s", color="white", edgecolor="black", zorder=2)
    for name in graph.attached:
        axes.scatter(*place[name], s=260, color="tab:orange" if name in senders else "tab:green", edgecolor="black", zorder=2)
    for name, (x, y) in place.items():
        axes.text(x, y, name, ha="center", va="center", fontsize=8, zorder=3)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(f"{len(graph.switches)} switches (squares), senders orange, receivers green; gray: no transmission", fontsize=9)
    figure.savefig(file, dpi=130)
    plt.close(figure)


def _places(graph: Graph) -> dict[str, tuple[float, float]]:
    columns = math.ceil(math.sqrt(len(graph.switches)))
    place = {name: (1.6 * (number % columns), -1.2 * (number // columns)) for number, name in enumerate(graph.switches)}
    seen: Counter[str] = Counter()
    for host, switch in graph.attached.items():
        angle = math.radians(HOST_ANGLES[seen[switch] % len(HOST_ANGLES)])
        x, y = place[switch]
        place[host] = (x + HOST_DISTANCE * math.cos(angle), y + HOST_DISTANCE * math.sin(angle))
        seen[switch] += 1
    return place


def draw_loss_curves(file: Path, panels: Mapping[str, Mapping[str, Sequence[Point]]]) -> None:
    """Throughput over loss, a panel each way of losing, a curve with its spread for each scheme."""
    columns = max(1, len(panels))
    figure, axes = plt.subplots(1, columns, figsize=(5.0 * columns, 3.8), layout="constrained", sharey=True, squeeze=False)
    for panel, (title, curves) in zip(axes[0], panels.items(), strict=False):
        for name, points in curves.items():
            x, middle, low, high = zip(*points, strict=True)
            below = [m - least for m, least in zip(middle, low, strict=True)]
            above = [most - m for m, most in zip(middle, high, strict=True)]
            panel.errorbar(x, middle, yerr=[below, above], marker="o", markersize=4, capsize=3, linewidth=1.2, label=name)
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("loss, %")
        panel.grid(alpha=0.3)
        if panel.containers:  # a quick look may have no result at all for a panel
            panel.legend(fontsize=8)
    axes[0][0].set_ylabel("total throughput, Mbit/s")
    axes[0][0].set_ylim(bottom=0)
    figure.savefig(file, dpi=120)
    plt.close(figure)
