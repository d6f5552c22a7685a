"""``python -m bench.own_program``: how many packets a processor second a switch forwards with a program, entries and frames of one's own.

The embedded switch, and BMv2 if it is on PATH, run the program with the entries. Frames of a capture come in at port 1, one after the
other, over and over; those that leave by port 2 count. A bare forwarder takes its turn in each round, as in ``python -m bench``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from finsy.proto import p4r
from google.protobuf import text_format
from scapy.error import Scapy_Exception
from scapy.utils import PcapReader

from bench import forwarding, report
from bench.generator import LEAST_BYTES, over_and_over
from bench.switch_under_test import batches, compile_program
from bench.tools import embedded, peer
from common.command_end import end_with
from common.errors import EXIT_CANNOT_RUN, UserError
from common.terminal import terminal

SWITCH = "simple_switch_grpc"


def frames_of(capture: Path) -> str:
    """The frames of a capture file in hexadecimal, a line each, over and over until there are enough.

    Raises:
        UserError: it has no Ethernet frames, or has one that is too short.
    """
    try:
        with PcapReader(str(capture)) as packets:
            frames = [bytes(packet) for packet in packets]
    except (OSError, Scapy_Exception) as error:
        raise UserError(f"{capture}: {error}", "give a capture file (pcap or pcapng) with Ethernet frames") from None
    if not frames:
        raise UserError(f"{capture} has no frames")
    if (shortest := min(map(len, frames))) <= LEAST_BYTES:
        raise UserError(f"{capture} has a frame of {shortest} bytes", f"each needs more than {LEAST_BYTES}")
    return over_and_over([frame.hex() for frame in frames])


def entries_of(path: Path) -> list[p4r.WriteRequest]:
    """The updates of a P4Runtime WriteRequest as text, in requests of a size that a switch takes.

    Raises:
        UserError: the file cannot be read or is no WriteRequest.
    """
    try:
        return list(batches(text_format.Parse(path.read_text(), p4r.WriteRequest()).updates))
    except (OSError, UnicodeDecodeError, text_format.ParseError) as error:
        raise UserError(f"{path}: {error}", "give a P4Runtime WriteRequest in Protobuf's text format") from None


def main(
    program: Annotated[Path, typer.Argument(help="a P4 program")],
    entries: Annotated[Path, typer.Argument(help="its entries: a P4Runtime WriteRequest, as text")],
    capture: Annotated[Path, typer.Argument(help="frames that come in at port 1: a capture file")],
    define: Annotated[list[str] | None, typer.Option("--define", "-D", help="a macro for the preprocessor")] = None,
    rounds: Annotated[int, typer.Option(help="forwarding runs of each switch", min=1)] = 3,
    seconds: Annotated[float, typer.Option(help="length of a forwarding run", min=0.1)] = 1.0,
    grpc_port: Annotated[int, typer.Option(help="P4Runtime port of the switches")] = 50051,
) -> None:
    """Forward with a program, entries and frames of one's own, with the embedded switch and with BMv2 if it is on PATH."""
    console = terminal()
    try:
        lines, requests = frames_of(capture), entries_of(entries)
        with tempfile.TemporaryDirectory() as folder:
            compiled = compile_program(program, Path(folder), *define or ())
            tools = [embedded(SWITCH), peer(SWITCH, "bmv2")]
            subjects = forwarding.subjects([tool for tool in tools if tool is not None], [(compiled, requests)])
            rows = forwarding.measure(subjects, grpc_port, rounds, seconds, lines)
    except UserError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(EXIT_CANNOT_RUN) from None
    console.print(report.forwarding_table(rows))


if __name__ == "__main__":
    end_with(lambda: typer.run(main))
