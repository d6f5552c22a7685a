"""``python -m bench.own_program``: a program, entries and frames of a user."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import text_format
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import wrpcap

from bench.generator import DESTINATION_IP, FRAMES, frames
from bench.own_program import entries_of, frames_of
from bench.switch_under_test import BATCH, compile_program, routes
from bench.table_size import PROGRAM
from bench.tools import PROJECT
from common.errors import UserError

pytestmark = pytest.mark.this_machine


def write_entries(path: Path, count: int) -> None:
    """Routes to `count` addresses, as text."""
    requests = list(routes(compile_program(PROGRAM, path.parent), "routes", "forward", range(DESTINATION_IP, DESTINATION_IP + count)))
    first = requests[0]
    for request in requests[1:]:
        first.updates.extend(request.updates)
    path.write_text(text_format.MessageToString(first))


def write_frames(path: Path) -> None:
    """Frames to the first of these addresses."""
    wrpcap(str(path), [Ether(bytes.fromhex(line)) for line in set(frames(64).split())])


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.own_program", *map(str, arguments), "--rounds", "1", "--seconds", "0.2", "--grpc-port", "51113"]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False)


def test_frames_are_repeated_until_there_are_enough(tmp_path: Path) -> None:
    capture = tmp_path / "frames.pcap"
    wrpcap(str(capture), [Ether() / Raw(bytes([number] * 50)) for number in range(3)])
    lines = frames_of(capture).split()
    assert len(lines) >= FRAMES
    assert lines[:3] == lines[3:6]
    assert [bytes.fromhex(line)[-1] for line in lines[:3]] == [0, 1, 2]


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "frames"), (b"no capture at all, but long enough for one", "capture"), (None, "frames.pcap")]
)
def test_no_capture_is_told(content: bytes | None, said: str, tmp_path: Path) -> None:
    capture = tmp_path / "frames.pcap"
    if content is not None:
        capture.write_bytes(content)
    with pytest.raises(UserError, match=said):
        frames_of(capture)


def test_short_frames_are_told(tmp_path: Path) -> None:
    capture = tmp_path / "frames.pcap"
    wrpcap(str(capture), [Ether()])
    with pytest.raises(UserError, match="a frame of 14 bytes"):
        frames_of(capture)


def test_entries_come_in_requests_of_a_size(tmp_path: Path) -> None:
    entries = tmp_path / "entries.txtpb"
    write_entries(entries, BATCH + 1)
    assert [len(request.updates) for request in entries_of(entries)] == [BATCH, 1]


def test_no_entries_are_told(tmp_path: Path) -> None:
    entries = tmp_path / "entries.txtpb"
    entries.write_text("updates {")
    with pytest.raises(UserError, match="WriteRequest"):
        entries_of(entries)


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("cargo") is None, reason="forwarding needs root and cargo")
def test_a_program_of_a_user_forwards(tmp_path: Path) -> None:
    write_entries(tmp_path / "entries.txtpb", 10)
    write_frames(tmp_path / "frames.pcap")
    result = bench(PROGRAM, tmp_path / "entries.txtpb", tmp_path / "frames.pcap")
    assert result.returncode == 0, result.stderr
    [by_ring] = re.findall(r"embedded +│ ipv4 +│ ring +│ 64 +│ ([\d,]+)", result.stdout)
    assert int(by_ring.replace(",", "")) > 0


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("cargo") is None, reason="forwarding needs root and cargo")
def test_entries_that_the_switch_refuses_are_told(tmp_path: Path) -> None:
    entries = tmp_path / "entries.txtpb"
    write_entries(entries, 1)
    entries.write_text(re.sub(r"table_id: \d+", "table_id: 1", entries.read_text()))
    write_frames(tmp_path / "frames.pcap")
    result = bench(PROGRAM, entries, tmp_path / "frames.pcap")
    assert result.returncode == 2
    assert "the switch refuses entries: update 1 of a request: " in result.stderr
    assert "Traceback" not in result.stderr


def test_programs_that_do_not_compile_are_told(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.p4"
    wrong.write_text("control {")
    write_entries(tmp_path / "entries.txtpb", 1)
    write_frames(tmp_path / "frames.pcap")
    result = bench(wrong, tmp_path / "entries.txtpb", tmp_path / "frames.pcap")
    assert result.returncode == 2
    assert result.stderr.rstrip().endswith("wrong.p4 is not compiled")
    assert "Traceback" not in result.stderr
