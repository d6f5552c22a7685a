"""Samples of a sender and of a receiver, as their programs leave them: whole, cut off, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from engine.collect.samples import ReceiverSamples, SenderSamples
from hosts.receiver_samples import CONNECTION_COLUMNS, connections_file

HEADER = "time_ns,bytes_acked,srtt_us\n"


def samples(folder: Path, text: str) -> SenderSamples:
    file = folder / "sender.csv"
    file.write_text(text)
    return SenderSamples(file)


def test_columns_over_time_without_a_row_that_was_cut(tmp_path: Path) -> None:
    found = samples(tmp_path, HEADER + "1000000000,0,100\n1001000000,1448,200\n10020")
    assert found.column("srtt_us").time_s.tolist() == pytest.approx([1.0, 1.001])
    assert found.column("srtt_us").value.tolist() == [100, 200]
    assert found.column("bytes_acked").value.tolist() == [0, 1448]


def test_no_samples_no_column_no_file(tmp_path: Path) -> None:
    assert samples(tmp_path, HEADER).column("srtt_us").value.size == 0
    with pytest.raises(KeyError, match="there is no column cwnd_packets"):
        samples(tmp_path, HEADER + "1,2,3\n").column("cwnd_packets")
    with pytest.raises(KeyError, match="there is no column srtt_us"):
        samples(tmp_path, "").column("srtt_us")
    with pytest.raises(OSError, match="nowhere"):
        SenderSamples(tmp_path / "nowhere.csv")


def test_a_connection_that_the_receiver_never_had_received_nothing(tmp_path: Path) -> None:
    """Its sender has one as soon as the SYN is acknowledged; the packets that open it at the receiver may be lost until the run ends."""
    file = tmp_path / "receiver.csv"
    file.write_text("connection,time_ns,bytes\n")
    connections_file(file).write_text(",".join(CONNECTION_COLUMNS) + "\n")
    found = ReceiverSamples(file)
    sender = {"name": "A", "local_address": "10.0.0.1", "local_port": 4000, "connected_s": 1.0}
    assert found.of({**sender, "bytes_acked": 1}) is None
    with pytest.raises(UserError, match="which A was sent by"):
        found.of({**sender, "bytes_acked": 2})
