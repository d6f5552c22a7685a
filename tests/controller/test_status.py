"""The status command's tables and its errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from controller import status
from controller.names import NameBook, rate_text


def shown(table: object) -> str:
    console = Console(width=160, record=True)
    console.print(table)
    return console.export_text()


def test_ports_and_records_are_tables() -> None:
    port = {
        "switch": "s1",
        "port": 4,
        "peer": "s2",
        "capacity_bps": 36_000_000,
        "allocated_bps": 18_000_000,
        "free_bps": 18_000_000,
        "records": 20,
        "shares": [{"name": "A", "rate_bps": 900_000}] * 20,
    }
    text = shown(status.ports_table([port]))
    assert "36.0" in text
    assert "A 0.9, A 0.9" in text
    assert "and 8 more" in text
    record = {
        "switch": "s1",
        "port": 4,
        "name": "B",
        "sender": "10.0.0.2",
        "receiver": "10.0.0.5",
        "rate_bps": 18_000_000,
        "offer_bps": 0,
        "is_negotiating": False,
        "is_bottleneck": True,
        "heard_s_ago": 1.25,
    }
    assert "1.2 s ago" in shown(status.records_table([record]))


def test_no_controller_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status.main(["--socket", str(tmp_path / "nobody.sock"), "ports"]) == 2
    captured = capsys.readouterr()
    assert "no controller answers there" in captured.err
    assert captured.err.count("\n") == 1


def test_names_and_rates() -> None:
    names = NameBook({}, {"10.0.0.1>10.0.0.4": "A"})
    assert names.transmission(0x0A000001, 0x0A000004) == "A"
    assert names.transmission(0x0A000001, 0x0A000004, 2) == "A/2"
    assert names.transmission(0x0A000001, 0x0A000005) == "10.0.0.1→10.0.0.5"
    assert (rate_text(18_000), rate_text(250), rate_text(0)) == ("18.0", "0.250", "0.0")
