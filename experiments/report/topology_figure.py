"""The picture of a network and of what crosses its links. Drawing libraries are loaded only when something is drawn."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

from experiments.report.figure_files import save, write_csv
from scenario.scenario import Scenario
from scenario.topologies import Layout
from topo.layout import plan_network
from topo.routes import way_between

HOST_DISTANCE = 0.42
HOST_ANGLES = (225, 315, 135, 45)
"""Degrees, of the hosts at one switch one after the other."""


def draw_topology(scenario: Scenario, stem: Path) -> None:
    """Draw a network as PNG and SVG, and write its links beside them.

    Its switches are row by row in the order of the file, as nearly a square as goes, its hosts beside them.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    layout = scenario.topology.layout()
    place, plan = _places(layout), plan_network(scenario)
    ways = [way_between(plan, t.sender, t.receiver) for t in scenario.transmissions]
    crossed = Counter(frozenset(step) for way in ways for step in pairwise(way))
    senders = {t.sender for t in scenario.transmissions}
    figure, axes = plt.subplots(figsize=(7.5, 6.0), layout="constrained")
    links = [(trunk.first, trunk.second, trunk.link) for trunk in layout.trunks] + [
        (one.host, one.switch, one.link) for one in layout.hosts
    ]
    for first, second, link in links:
        (x1, y1), (x2, y2) = place[first], place[second]
        count, is_trunk = crossed[frozenset((first, second))], first in layout.switches
        axes.plot([x1, x2], [y1, y2], color="tab:blue" if count and is_trunk else "0.6", linewidth=1 + 1.6 * count, zorder=1)
        if is_trunk and count:
            axes.text((x1 + x2) / 2, (y1 + y2) / 2 + 0.06, f"{count} on {link.rate_mbps:g} Mbit/s", fontsize=6, ha="center", zorder=4)
    for name in layout.switches:
        axes.scatter(*place[name], s=420, marker="s", color="white", edgecolor="black", zorder=2)
    for one in layout.hosts:
        axes.scatter(*place[one.host], s=260, color="tab:orange" if one.host in senders else "tab:green", edgecolor="black", zorder=2)
    for name, (x, y) in place.items():
        axes.text(x, y, name, ha="center", va="center", fontsize=8, zorder=3)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(f"{len(layout.switches)} switches (squares), senders orange, receivers green; gray: no transmission", fontsize=9)
    save(figure, stem, dots_per_inch=130)
    plt.close(figure)
    rows = [[*ends, link.rate_mbps, link.delay_ms, crossed[frozenset(ends)]] for *ends, link in links]
    write_csv(stem, ("from", "to", "rate_mbps", "delay_ms", "transmissions"), rows)


def _places(layout: Layout) -> dict[str, tuple[float, float]]:
    columns = math.ceil(math.sqrt(len(layout.switches)))
    place = {name: (1.6 * (number % columns), -1.2 * (number // columns)) for number, name in enumerate(layout.switches)}
    seen: Counter[str] = Counter()
    for one in layout.hosts:
        angle = math.radians(HOST_ANGLES[seen[one.switch] % len(HOST_ANGLES)])
        x, y = place[one.switch]
        place[one.host] = (x + HOST_DISTANCE * math.cos(angle), y + HOST_DISTANCE * math.sin(angle))
        seen[one.switch] += 1
    return place
