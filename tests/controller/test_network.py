"""The network description is checked: every mistake is named with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from scenario.network_description import NetworkDescription, load_network


def description() -> dict[str, Any]:
    return {
        "switches": [
            {
                "name": "s1",
                "device_id": 1,
                "grpc_addr": "127.0.0.1:50051",
                "ports": [{"port": 4, "capacity_bps": 36_000_000, "tolerance_bps": 0, "peer": "s2"}],
                "routes": [
                    {
                        "prefix": "10.0.0.1/32",
                        "port": 1,
                        "source_mac": "00:00:00:00:00:01",
                        "destination_mac": "00:00:00:00:00:02",
                    }
                ],
            }
        ],
        "hosts": {"10.0.0.1": "h1"},
        "labels": {"10.0.0.1>10.0.0.4": "A"},
    }


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "net.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_description_survives_writing_and_reading(tmp_path: Path) -> None:
    network = NetworkDescription.model_validate(description())
    network.write(tmp_path / "net.json")
    assert load_network(tmp_path / "net.json") == network
    assert network.switches[0].ports[0].capacity_kbps == 36_000


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(colour="red"), "colour: unknown key"),
        (lambda d: d["switches"][0].update(speed=1), "switches.0.speed: unknown key"),
        (lambda d: d["switches"][0].update(grpc_addr="localhost"), "not HOST:PORT"),
        (lambda d: d["switches"][0].update(grpc_addr="localhost:0"), "not HOST:PORT"),
        (lambda d: d["switches"][0]["ports"][0].update(capacity_bps=-1), "capacity_bps"),
        (lambda d: d["switches"][0]["ports"].append(d["switches"][0]["ports"][0]), "port 4 is given 2 times"),
        (lambda d: d["switches"].append(d["switches"][0]), "switch s1 is given 2 times"),
        (lambda d: d["switches"][0]["routes"][0].update(prefix="10.0.0.1/8"), "prefix"),
        (lambda d: d["switches"][0]["routes"][0].update(source_mac="1:2"), "source_mac"),
        (lambda d: d.update(labels={"10.0.0.1": "A"}), "not SENDER>RECEIVER"),
        (lambda d: d.update(switches=[]), "switches"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, change: Any, said: str) -> None:
    content = description()
    change(content)
    with pytest.raises(UserError, match=said) as caught:
        load_network(written(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_not_json_and_missing_files_are_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"net\.json:1:2: not valid JSON"):
        load_network(written(tmp_path, "{"))
    with pytest.raises(UserError, match="No such file"):
        load_network(tmp_path / "missing.json")
