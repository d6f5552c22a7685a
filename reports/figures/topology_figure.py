"""The picture of a network and of the transmissions on its links. Drawing libraries are loaded only when something is drawn."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

from reports.figures.figure_files import save, write_csv
from reports.pictures.places import places
from scenario.scenario import Scenario
from topo.layout import plan_network
from topo.routes import way_between


def draw_topology(scenario: Scenario, stem: Path) -> None:
    """Draw a network as PNG and SVG, and write its links beside them.

    Everything stands where the live page has it.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    layout = scenario.topology.layout()
    place, plan = places(layout), plan_network(scenario)
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
