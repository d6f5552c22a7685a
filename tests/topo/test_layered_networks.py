"""Networks with several equally short ways: both directions are the same, the ways are used alike, and a seed changes which."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from pydantic import ValidationError

from scenario.topologies import TopologyKind
from scenario.topologies.fat_tree import FatTree
from scenario.topologies.leaf_spine import LeafSpine
from topo.controller_files import controller_network
from topo.layout import add_layout
from topo.network_plan import NetworkPlan
from topo.routes import way_between

LINK = {"rate_mbps": 100, "delay_ms": 0.05}
TREE: dict[str, Any] = {"kind": "fat_tree", "k": 4, "access": LINK, "aggregation": LINK, "core": LINK}
SPINE: dict[str, Any] = {"kind": "leaf_spine", "leaves": 3, "spines": 4, "hosts_per_leaf": 5, "access": LINK, "uplink": LINK}


def plan_of(topology: TopologyKind, seed: int = 1) -> NetworkPlan:
    plan = NetworkPlan(seed=seed)
    add_layout(plan, topology.layout())
    return plan


def tree(**changes: Any) -> NetworkPlan:
    return plan_of(FatTree.model_validate(TREE | changes))


@pytest.mark.parametrize("k", [2, 4, 6, 8])
def test_a_fat_tree_has_the_papers_numbers(k: int) -> None:
    plan = tree(k=k)
    assert len(plan.hosts) == k**3 // 4
    assert len(plan.switches) == k * k + (k // 2) ** 2
    assert {len(switch.ports) for switch in plan.switches.values()} == {k}, "every switch has k ports"


@pytest.mark.parametrize(
    "topology", [FatTree.model_validate(TREE), FatTree.model_validate(TREE | {"k": 6}), LeafSpine.model_validate(SPINE)]
)
def test_answers_come_back_the_same_way_and_all_ways_are_taken(topology: TopologyKind) -> None:
    plan = plan_of(topology)
    highest = Counter[str]()
    for first, second in combinations(plan.hosts, 2):
        way = way_between(plan, first, second)
        assert way == way_between(plan, second, first)[::-1]
        assert len(way) == len(set(way))
        highest[way[len(way) // 2]] += 1
    tops = [name for name in plan.switches if name not in plan.layers]
    used = [highest[name] for name in tops]
    assert min(used) > 0.5 * sum(used) / len(used), "no core or spine switch is left out"
    assert max(used) < 1.5 * sum(used) / len(used)


def test_layers_choose_apart() -> None:
    """Else those that an edge switch sends to its first aggregation switch would all go on to that one's first core switch."""
    plan = tree(k=4)
    pairs = Counter(
        tuple(way[2:4]) for first in ("h1", "h2") for second in list(plan.hosts)[4:] for way in [way_between(plan, first, second)]
    )
    assert {top for _, top in pairs} == {f"core{number}" for number in range(1, 5)}


def test_another_seed_puts_others_together() -> None:
    """Not only other switches in the place of these: other pairs of hosts share a core switch."""
    plans = [plan_of(FatTree.model_validate(TREE), seed) for seed in (1, 2)]
    hosts = list(plans[0].hosts)
    across = [(first, second) for first in hosts[:4] for second in hosts[4:]]
    together = [
        {frozenset((one, other)) for one, other in combinations(across, 2) if way_between(plan, *one)[3] == way_between(plan, *other)[3]}
        for plan in plans
    ]
    assert together[0] != together[1]
    assert way_between(plans[0], "h1", "h16") == way_between(plan_of(FatTree.model_validate(TREE), 1), "h1", "h16")


def test_the_controller_is_told_one_route_upwards() -> None:
    described = {switch.name: switch for switch in controller_network(tree(), {}).switches}
    edge, aggregation, core = described["edge1_1"], described["agg1_1"], described["core1"]
    assert [str(route.prefix) for route in edge.routes] == ["10.0.0.1/32", "10.0.0.2/32"]
    assert [(str(one.prefix), one.shift, len(one.ways)) for one in edge.spread] == [("0.0.0.0/0", 0, 2)]
    assert [len(aggregation.routes), aggregation.spread[0].shift] == [4, 8]
    assert [len(core.routes), core.spread] == [16, []]


def test_an_oversubscribed_tree() -> None:
    assert len(tree(hosts_per_edge=5).hosts) == 4 * 2 * 5


@pytest.mark.parametrize(("changes", "said"), [({"k": 3}, "3 is odd"), ({"k": 18}, "less than or equal to 16")])
def test_other_trees_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        FatTree.model_validate(TREE | changes)
