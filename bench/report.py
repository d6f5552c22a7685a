"""Tables of measurements, for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from .compile_time import CompileTime
from .forwarding import Forwarding, RateAndLatency
from .input_output import InputOutput
from .real_time import Carried
from .table_size import TableSize
from .tcp import Tcp


def compile_table(rows: Sequence[CompileTime], runs: int) -> Table:
    """Compile times, beside p4c's where it was there."""
    table = Table("program", "lines", "compiler", "wall, ms", "processor, ms", "p4c / this, wall", title=f"compile time, median of {runs}")
    slow = {row.program: row.wall_s for row in rows if row.owner == "p4c"}
    for row in rows:
        ratio = f"{slow[row.program] / row.wall_s:.1f}" if row.program in slow else "—"
        table.add_row(row.program, str(row.lines), row.owner, f"{row.wall_s * 1e3:.1f}", f"{row.cpu_s * 1e3:.1f}", ratio)
    return table


def forwarding_table(rows: Sequence[Forwarding]) -> Table:
    """Packets a processor second, beside the bare forwarder's and BMv2's."""
    runs = rows[0].runs if rows else 0
    table = Table(
        "switch", "program", "in by", "bytes", "packets a processor second", "of bare", "this / bmv2", title=f"forwarding, median of {runs}"
    )
    slow = {(row.program, row.frame_bytes): row.packets_per_cpu_s for row in rows if row.owner == "bmv2"}
    for row in rows:
        bmv2 = slow.get((row.program, row.frame_bytes))
        ratio = "—" if bmv2 is None else f"{row.packets_per_cpu_s / bmv2:.1f}"
        rate, part = f"{row.packets_per_cpu_s:,.0f}", f"{row.of_bare:.0%}"
        table.add_row(row.owner, row.program, row.receives_by or "—", str(row.frame_bytes), rate, part, ratio)
    return table


def latency_table(rows: Sequence[RateAndLatency]) -> Table:
    """Loss-free rates, and latencies at half of them."""
    title = "loss-free rate, and one-way latency at half of it"
    table = Table("switch", "program", "in by", "bytes", "packets a second", "median, µs", "p99, µs", title=title)
    for row in rows:
        rate, median, p99 = f"{row.loss_free_packets_per_s:,.0f}", f"{row.median_us:.0f}", f"{row.p99_us:.0f}"
        table.add_row(row.owner, row.program, row.receives_by or "—", str(row.frame_bytes), rate, median, p99)
    return table


def tcp_table(rows: Sequence[Tcp]) -> Table:
    """How fast one connection is through each, beside BMv2."""
    title = f"one TCP connection through one switch, median of {rows[0].runs if rows else 0}"
    table = Table("switch", "program", "in by", "Mbit/s", "processors busy", "this / bmv2", title=title)
    slow = {row.program: row.mbit_per_s for row in rows if row.owner == "bmv2"}
    for row in rows:
        bmv2 = slow.get(row.program)
        ratio = "—" if bmv2 is None else f"{row.mbit_per_s / bmv2:.1f}"
        table.add_row(row.owner, row.program, row.receives_by or "—", f"{row.mbit_per_s:,.0f}", f"{row.processors:.2f}", ratio)
    return table


def input_output_table(rows: Sequence[InputOutput]) -> Table:
    """The cost of each way of input and output, beside the switch's."""
    title = f"input and output without a switch, median of {rows[0].runs if rows else 0}"
    table = Table("method", "bytes", "packets a processor second", "of the switch's", "alone: median, µs", "p99, µs", title=title)
    for row in rows:
        rate, part = f"{row.packets_per_cpu_s:,.0f}", f"{row.of_switch:.0%}"
        table.add_row(row.method, str(row.frame_bytes), rate, part, f"{row.median_us:.0f}", f"{row.p99_us:.0f}")
    return table


def carried_table(rows: Sequence[Carried]) -> Table:
    """How fast the testbed may be in real time."""
    table = Table(
        "switches", "rate of every link, Mbit/s", "carried, Mbit/s", "over 1 ms late", "p99, ms", title="the testbed in real time"
    )
    for row in rows:
        carried = "does not count" if row.carried_mbps is None else f"{row.carried_mbps:,.0f}"
        table.add_row(str(row.switches), f"{row.rate_mbps:,}", carried, f"{row.late_share:.2%}", f"{row.p99_us / 1000:.2f}")
    return table


def size_table(rows: Sequence[TableSize]) -> Table:
    """The cost of entries."""
    title = "tables over P4Runtime, 1,000 entries a request"
    table = Table("match", "entries", "written a second", "bytes an entry", "packets a processor second", "of the smallest", title=title)
    smallest: dict[str, float] = {}
    for row in rows:
        first = smallest.setdefault(row.kind, row.packets_per_cpu_s)
        part = f"{row.packets_per_cpu_s / first:.0%}"
        table.add_row(
            row.kind, f"{row.entries:,}", f"{row.entries_per_s:,.0f}", f"{row.bytes_per_entry:,.0f}", f"{row.packets_per_cpu_s:,.0f}", part
        )
    return table
