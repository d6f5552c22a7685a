"""A cell's draws from its seed: named, the same for all schemes; a cell without draws has no repetitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from engine.plan.experiment import Effort
from engine.plan.random_draws import MACHINE, RTT, drawn, round_trip_ms, with_drawn_starts
from reports.experiment import ReportedExperiment
from reports.paper import paper_names, read_paper
from scenario.scenario import Scenario
from tests.engine.cells import FILE as JITTERED
from topo.layout import plan_network

PAPER_FILES = [(name, file) for name in paper_names() for file in read_paper(name).experiment_files]

FILE = JITTERED.replace("start_jitter_ms = 1\n", "")
TWO = (
    FILE
    + """
[[transmissions]]
name = "B"
sender = "h1"
receiver = "h2"
start_s = 2
stop_s = 3
"""
)


def read(folder: Path, text: str, effort: Effort | None = None) -> ReportedExperiment:
    file = folder / "drawing.toml"
    file.write_text(text)
    return ReportedExperiment.read(file, effort)


def jittered(text: str, jitter: str) -> str:
    return text.replace("repetitions = 2", f"repetitions = 2\nstart_jitter_ms = {jitter}")


def scenario(folder: Path, text: str) -> Scenario:
    return read(folder, text).scenarios[0][1]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("", ""), ()),
        (("repetitions = 2", "repetitions = 2\nstart_jitter_ms = 3"), ("start times",)),
        (("delay_ms = 1 }", "delay_ms = 1, loss_percent = 1 }"), ("losses of links",)),
        (("delay_ms = 1 }", "delay_ms = 1, byte_error_rate = 1e-7 }"), ("losses of links",)),
        (("delay_ms = 1 }", "delay_ms = 1, reverse = { loss_percent = 1 } }"), ("losses of links",)),
        (("delay_ms = 1 }", "delay_ms = 1, trace = [{ at_s = 1, loss_percent = 1 }] }"), ("losses of links",)),
        (("delay_ms = 1 }", 'delay_ms = 1, filtered_loss = [{ filter = "tcp", loss_percent = 1 }] }'), ("losses of links",)),
        (("[grid]", '[[events]]\nat_s = 1\nset_link = ["s1", "s2"]\nloss_percent = 2\n[grid]'), ("losses of links",)),
        (("delay_ms = 1 }", "delay_ms = 1, jitter_us = 20 }"), ("delays of packets",)),
        (("[grid]", '[[events]]\nat_s = 1\nset_link = ["s1", "s2"]\njitter_us = 20\n[grid]'), ("delays of packets",)),
        (('receiver = "h2"', 'receiver = "h2"\nscheme = "bbr"'), ("the phase of bbr's probing",)),
    ],
)
def test_what_is_drawn_is_named(tmp_path: Path, change: tuple[str, str], expected: tuple[str, ...]) -> None:
    assert drawn(scenario(tmp_path, FILE.replace(*change)), "reno") == expected


def test_bbr_draws_where_its_probing_begins(tmp_path: Path) -> None:
    assert drawn(scenario(tmp_path, FILE), "bbr") == ("the phase of bbr's probing",)
    assert drawn(scenario(tmp_path, FILE), "cubic") == ()


def test_a_cell_that_draws_nothing_is_there_once(tmp_path: Path) -> None:
    text = FILE.replace('["reno"]', '["reno", "bbr"]')
    cells = read(tmp_path, text).cells()
    assert {(cell.scheme, cell.repetition) for cell in cells} == {("reno", 1), ("bbr", 1), ("bbr", 2)}
    assert {cell.scheme: cell.drawn for cell in cells} == {"reno": (), "bbr": ("the phase of bbr's probing",)}


def test_in_real_time_the_machine_is_never_the_same_twice(tmp_path: Path) -> None:
    cells = read(tmp_path, FILE, Effort(virtual=False)).cells()
    assert {cell.repetition for cell in cells} == {1, 2}
    assert {cell.drawn for cell in cells} == {(MACHINE,)}


def test_starts_are_drawn_from_the_seed_alike_for_every_scheme(tmp_path: Path) -> None:
    text = jittered(TWO, "500").replace('["reno"]', '["reno", "cubic"]')
    starts: dict[tuple[object, int], set[tuple[float, ...]]] = {}
    for cell in read(tmp_path, text).cells():
        point = cell.parameters["delay_ms"]
        starts.setdefault((point, cell.repetition), set()).add(tuple(one.start_s for one in cell.scenario.transmissions))
    assert all(len(found) == 1 for found in starts.values()), "schemes differ"
    (first,), (second,) = starts[5, 1], starts[5, 2]
    assert first != second
    for a, b in (first, second):
        assert 0 <= a <= 0.5
        assert 2 <= b <= 2.5
        assert a != pytest.approx(b - 2), "each draws for itself"
    assert starts[5, 1] == starts[9, 1], "the same seed gives the same starts"


def test_another_transmission_moves_nobody(tmp_path: Path) -> None:
    alone = with_drawn_starts(scenario(tmp_path, jittered(FILE, "500")))
    beside = with_drawn_starts(scenario(tmp_path, jittered(TWO, "500")))
    assert alone.transmissions[0] == beside.transmissions[0]
    assert alone.all_transmissions[0].start_s == alone.transmissions[0].start_s > 0


def test_the_round_trip_of_the_path_is_the_limit(tmp_path: Path) -> None:
    asymmetric = FILE.replace('delay_ms = "= delay_ms" }', 'delay_ms = "= delay_ms", reverse = { delay_ms = 100 } }')
    one = scenario(tmp_path, jittered(asymmetric, '"rtt"'))
    rtt_ms = round_trip_ms(plan_network(one), one.transmissions[0])
    assert rtt_ms == pytest.approx(4 * 1 + 5 + 100)
    starts = [with_drawn_starts(one.with_seed(seed)).transmissions[0].start_s for seed in range(200)]
    assert min(starts) < 0.1 * rtt_ms / 1e3
    assert 0.9 * rtt_ms / 1e3 < max(starts) <= rtt_ms / 1e3


def test_without_jitter_starts_stay(tmp_path: Path) -> None:
    assert with_drawn_starts(scenario(tmp_path, TWO)).transmissions == scenario(tmp_path, TWO).transmissions


@pytest.mark.parametrize("wrong", ["-1", '"late"', "70000"])
def test_an_impossible_jitter_is_refused_with_its_key(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(UserError, match=r"table \[run\], key `start_jitter_ms`"):
        read(tmp_path, jittered(FILE, wrong))


def test_a_jitter_beyond_the_end_of_a_transmission_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"start_jitter_ms.*'B', which lasts 1 s"):
        read(tmp_path, jittered(TWO, "1001")).cells()


@pytest.mark.parametrize(("paper", "file"), PAPER_FILES, ids=lambda value: value.stem if isinstance(value, Path) else value)
def test_experiments_of_papers_draw_their_starts_unless_they_say_why_not(paper: str, file: Path) -> None:
    for _, scenario in ReportedExperiment.read(file).scenarios:
        if scenario.transmissions and scenario.run.start_jitter_ms != RTT:
            assert "start_jitter_ms = 0 }    #" in file.read_text(), f"{paper}/{file.name} neither draws its starts nor says why"
