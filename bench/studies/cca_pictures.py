"""Draws what each congestion control does in a real transfer over an emulated link: docs/pictures/cca/NAME.png. Root only.

    make cca-pictures [SCHEMES="NAME…"]

The transfers are those of the tests (measures.py). One that the machine was too busy to emulate is repeated, and not drawn the third time.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from bench.studies.emulated_transfers import mptcp_transfer as mptcp
from bench.studies.emulated_transfers.emulated_path import ATTEMPTS, Direction, EmulatedPath
from bench.studies.emulated_transfers.measures import (
    PAYLOAD_SHARE,
    Rows,
    deep,
    losing,
    narrow,
    near_and_far,
    queued_packets,
    transfer,
    window_at_loss,
)
from bench.studies.emulated_transfers.transfer import LEAD_S
from reports.figures.figure_files import save_picture

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "cca"
INCHES, DPI = (5.6, 3.2), 80

Curve = tuple[list[float], list[float], str]


@dataclass
class Picture:
    """Curves over seconds; ``marks`` are horizontal lines: the values of the paper or RFC."""

    title: str
    unit: str
    curves: list[Curve]
    marks: dict[str, float] = field(default_factory=dict)


def seconds(rows: Rows) -> list[float]:
    """Times of the samples since the first data, s."""
    return [row["since_ms"] / 1000 for row in rows]


def window(rows: Rows, label: str) -> Curve:
    """The congestion window over time, packets."""
    return seconds(rows), [float(row["cwnd_packets"]) for row in rows], label


def rtt(rows: Rows, label: str) -> Curve:
    """The smoothed RTT over the smallest one, over time."""
    return seconds(rows), [row["srtt_us"] / row["min_rtt_us"] for row in rows], label


def rate(rows: Rows, label: str, bin_s: float = 0.5) -> Curve:
    """Payload acknowledged in bins, Mbit/s."""
    times = np.array(seconds(rows))
    edges = np.arange(0, times[-1], bin_s)
    acked = np.interp(edges, times, [row["bytes_acked"] for row in rows])
    return list(edges[1:]), list(np.diff(acked) * 8 / bin_s / 1e6), label


def straight(rows: Rows, start_ms: int, packets_per_rtt: float) -> Curve:
    """From the window at ``start_ms`` on, so many packets more in each RTT."""
    rest = [row for row in rows if row["since_ms"] >= start_ms]
    rtt_ms = rest[0]["min_rtt_us"] / 1000
    at = [float(rest[0]["cwnd_packets"] + packets_per_rtt * (row["since_ms"] - start_ms) / rtt_ms) for row in rest]
    return seconds(rest), at, f"{packets_per_rtt:.1f} packets an RTT"


def bic(folder: Path) -> Picture:
    """Binary search after a loss."""
    rows = transfer(folder, "bic", 2.2, losing(300))
    top = window_at_loss(300)
    marks = {"window at the loss": top, "aim: middle of it and 7/8 of it": top * 15 / 16}
    return Picture("bic: binary search after a loss (RTT 100 ms)", "window, packets", [window(rows, "measured")], marks)


def highspeed(folder: Path) -> Picture:
    """Loss and growth by the table of RFC 3649."""
    rows = transfer(folder, "highspeed", 3.0, losing(550))
    top = window_at_loss(550)
    marks = {"window at the loss": top, "(1 - b) of it": top * (1 - 94 / 256)}
    title = "highspeed: loss and growth by the RFC's table (RTT 100 ms)"
    return Picture(title, "window, packets", [window(rows, "measured"), straight(rows, 900, 4.0)], marks)


def hybla(folder: Path) -> Picture:
    """Growth beside the straight line of the equations."""
    rows = transfer(folder, "hybla", 1.6, losing(100))
    return Picture("hybla: growth at 4 times the reference RTT", "window, packets", [window(rows, "measured"), straight(rows, 800, 16.0)])


def msstcp(folder: Path) -> Picture:
    """Growth on an empty path."""
    rows = transfer(folder, "msstcp", 1.4, losing(120))
    title = "msstcp: growth on an empty path (RTT 100 ms)"
    return Picture(title, "window, packets", [window(rows, "measured"), straight(rows, 800, 2000**0.5)])


def vegas(folder: Path) -> Picture:
    """Packets of its own in the queue, between alpha and beta."""
    rows = transfer(folder, "vegas", 6.0, deep())
    curve = (seconds(rows), [queued_packets(row) for row in rows], "measured")
    return Picture("vegas: its packets in the queue (4 Mbit/s, 40 ms)", "packets", [curve], {"alpha": 2, "beta": 4})


def qtcol(folder: Path) -> Picture:
    """RTTs that two values of alpha keep to, and reno's."""
    curves = [rtt(transfer(folder, f"qtcol(alpha={alpha})", 5.0, deep()), f"qtcol, alpha {alpha}") for alpha in ("1.2", "1.5")]
    standard = [row for row in transfer(folder, "reno", 2.0, deep()) if row["srtt_us"] < 3 * row["min_rtt_us"]]
    curves.append(rtt(standard, "reno (it goes on to fill the queue)"))
    return Picture("qtcol: RTT over the smallest RTT (4 Mbit/s, 40 ms)", "RTT / smallest", curves, {"1.2": 1.2, "1.5": 1.5})


def qtcolfair(folder: Path) -> Picture:
    """The data in flight when the path gets longer."""

    def lengthen(path: EmulatedPath) -> None:
        def change() -> None:
            for way in (path.forward, path.back):
                way.delay_s = 0.08

        threading.Timer(LEAD_S + 3.0, change).start()

    curves = []
    for name in ("qtcolfair(probe_interval=2.5)", "qtcol"):
        rows = transfer(folder, name, 7.0, deep(), lengthen)
        curves.append((seconds(rows), [row["bytes_in_flight"] / 1000 for row in rows], name))
    title = "qtcolfair: a path of 40 ms becomes one of 160 ms (4 Mbit/s)"
    return Picture(title, "in flight, kB", curves, {"rate x RTT, before": 20 * PAYLOAD_SHARE, "after": 80 * PAYLOAD_SHARE})


def libra(folder: Path) -> Picture:
    """Rates of two transfers with unlike RTTs."""
    near, far = near_and_far(folder, "libra", 150.0, narrow())
    curves = [rate(near, "RTT 40 ms", 1.0), rate(far, "RTT 160 ms", 1.0)]
    return Picture("libra: two RTTs over one link of 4 Mbit/s", "Mbit/s of payload", curves, {"half": 2 * PAYLOAD_SHARE})


def nodectl(folder: Path) -> Picture:
    """A granted rate on a path that loses packets."""
    path = {name: Direction(delay_s=0.02, loss=0.05) for name in ("nodectl", "reno")}
    curves = [rate(transfer(folder, name, 6.0, way, grant_bps=6e6), name, 0.25) for name, way in path.items()]
    title = "nodectl: 6 Mbit/s granted, 5 % of the packets lost"
    return Picture(title, "Mbit/s of payload", curves, {"granted, without what is lost": 6 * 0.95 * PAYLOAD_SHARE})


def two_subflows(name: str, packets: float) -> Picture:
    """Both windows of an MPTCP connection after a loss on each."""
    curves: list[Curve] = []
    for scheme in (name, "reno"):
        rows = [(at, flows) for at, flows in mptcp.transfer(scheme, 3.5, Direction(delay_s=0.02, lose_full_frame=80)) if len(flows) == 2]
        label = "standard TCP on each" if scheme == "reno" else scheme
        curves.append(([at for at, _ in rows], [float(sum(flow[0] for flow in flows)) for _, flows in rows], label))
    times, windows, _ = curves[0]
    start = next(index for index, at in enumerate(times) if at > 1.5)
    line = [windows[start] + packets * (at - times[start]) / 0.04 for at in times[start:]]
    curves.append((times[start:], line, f"{packets:g} packets an RTT in all"))
    return Picture(f"{name}: two subflows after a loss on each (RTT 40 ms)", "both windows, packets", curves)


PICTURES: dict[str, Callable[[Path], Picture]] = {
    "bic": bic, "coupled": lambda _: two_subflows("coupled", 1.0), "highspeed": highspeed, "hybla": hybla,
    "lia": lambda _: two_subflows("lia", 0.5), "libra": libra, "msstcp": msstcp, "nodectl": nodectl, "qtcol": qtcol,
    "qtcolfair": qtcolfair, "vegas": vegas,
}  # fmt: skip


def draw(picture: Picture, file: Path) -> None:
    """Write one picture as PNG."""
    figure, axes = plt.subplots(figsize=INCHES, layout="constrained")
    for times, values, label in picture.curves:
        axes.plot(times, values, label=label, linewidth=1.2)
    for label, value in picture.marks.items():
        axes.axhline(value, color="0.5", linewidth=0.8, linestyle="--")
        axes.annotate(label, (0.01, value), xycoords=("axes fraction", "data"), fontsize=7, va="bottom", color="0.35")
    axes.set_title(picture.title, fontsize=9)
    axes.set_xlabel("s", fontsize=8)
    axes.set_ylabel(picture.unit, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=7, loc="lower right")
    save_picture(figure, file, dots_per_inch=DPI)
    plt.close(figure)


def main(names: list[str]) -> int:
    """Measure and draw schemes by name, all by default; exit code 1 if one was not drawn."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    undrawn = []
    for name in names or sorted(PICTURES):
        for _ in range(ATTEMPTS):
            EmulatedPath.was_ever_unfaithful = False
            with tempfile.TemporaryDirectory() as folder:
                picture = PICTURES[name](Path(folder))
            if not EmulatedPath.was_ever_unfaithful:
                draw(picture, FOLDER / f"{name}.png")
                print(f"{name}: {FOLDER / f'{name}.png'}", flush=True)
                break
        else:
            undrawn.append(name)
            print(f"{name}: this machine is too busy to emulate the path; not drawn", file=sys.stderr)
    return 1 if undrawn else 0


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: main(sys.argv[1:]))
