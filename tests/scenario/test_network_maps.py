"""Wide-area networks from maps: GraphML of the Topology Zoo's form and NetworkX's JSON, links as long as the ways, mistakes named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common.errors import UserError
from scenario.topologies.wide_area import Place, WideArea, distance_km
from tests.harness.scenario_file import load_scenario
from topo.layout import plan_network
from topo.routes import way_between

GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" attr.type="string" for="node" id="d33" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d32" />
  <key attr.name="Latitude" attr.type="double" for="node" id="d29" />
  <key attr.name="label" attr.type="string" for="edge" id="d40" />
  <graph edgedefault="undirected">
    <node id="0"><data key="d29">40.71427</data><data key="d32">-74.00597</data><data key="d33">New York</data></node>
    <node id="1"><data key="d29">41.85003</data><data key="d32">-87.65005</data><data key="d33">Chicago</data></node>
    <node id="2"><data key="d33">New York</data></node>
    <edge source="0" target="1"><data key="d40">OC-192</data></edge>
    <edge source="1" target="0" />
    <edge source="1" target="2" />
    <edge source="2" target="2" />
  </graph>
</graphml>
"""
JSON = json.dumps(
    {
        "nodes": [{"id": 0, "label": "New York", "Latitude": 40.71427, "Longitude": -74.00597}, {"id": "b"}],
        "links": [{"source": 0, "target": "b"}],
    }
)
SCENARIO = """schema = 2
title = "A map"
transmissions = [{ name = "A", sender = "h1", receiver = "h2" }]
[topology]
kind = "wide_area"
map = "MAP"
access = { rate_mbps = 100 }
trunk = { rate_mbps = 50, delay_ms = 0.1 }
[run]
schemes = ["cubic"]
duration_s = 5
"""


def network(folder: Path, name: str, text: str) -> WideArea:
    (folder / name).write_text(text)
    (folder / "run.toml").write_text(SCENARIO.replace("MAP", name))
    topology = load_scenario(folder / "run.toml").topology
    assert isinstance(topology, WideArea)
    return topology


def test_a_map_of_the_zoo(tmp_path: Path) -> None:
    topology = network(tmp_path, "zoo.graphml", GRAPHML)
    layout = topology.layout()
    assert layout.switches == ["NewYork", "Chicago", "NewYork2"]
    assert [(trunk.first, trunk.second) for trunk in layout.trunks] == [("NewYork", "Chicago"), ("Chicago", "NewYork2")]
    long, unknown = (trunk.link.delay_ms for trunk in layout.trunks)
    assert long == pytest.approx(0.1 + 1145 / 200, abs=0.05), "1,145 km"
    assert unknown == 0.1
    plan = plan_network(load_scenario(tmp_path / "run.toml"))
    assert way_between(plan, "h1", "h3") == ["h1", "NewYork", "Chicago", "NewYork2", "h3"]


def test_a_map_of_networkx(tmp_path: Path) -> None:
    assert network(tmp_path, "x.json", JSON).layout().switches == ["NewYork", "nb"]


def test_distances_are_those_over_the_earth() -> None:
    berlin, sydney = Place(latitude=52.52, longitude=13.405), Place(latitude=-33.869, longitude=151.209)
    assert distance_km(berlin, sydney) == pytest.approx(16_090, rel=0.002)
    assert distance_km(berlin, berlin) == distance_km(berlin, Place()) == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.graphml", "<graphml", "this is no map of a network"),
        ("a.graphml", '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"/>', "has no nodes"),
        ("a.graphml", GRAPHML.replace('target="2"', 'target="9"'), "a link leads to '9', which is no node"),
        ("a.graphml", GRAPHML.replace("40.71427", "north"), "this is no map of a network"),
        ("a.graphml", GRAPHML.replace("40.71427", "140"), r"table \[topology.map.places.NewYork\], key `latitude`"),
        ("a.graphml", GRAPHML.replace('<edge source="1" target="2" />', ""), "there is no way from 'NewYork' to 'NewYork2'"),
        ("a.json", "[]", "this is no map of a network"),
        ("a.json", '{"nodes": [{"id": 1}]}', "this is no map of a network"),
        ("a.json", '{"nodes": 7, "links": []}', "this is no map of a network"),
    ],
)
def test_files_that_are_no_maps_are_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        network(tmp_path, name, text)
    assert str(tmp_path) in str(caught.value)


def test_a_map_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(SCENARIO.replace("MAP", "none.graphml"))
    with pytest.raises(UserError, match=r"none\.graphml"):
        load_scenario(tmp_path / "run.toml")
