"""Scenario files: the ones we ship load; wrong ones are refused with file, key and reason."""

import re
from pathlib import Path

import pytest

from common.errors import UserError
from reports.claims.published import published_table
from scenario.file import read_scenario_file
from scenario.run_request import Size
from scenario.topologies.dumbbell import Dumbbell
from tests.harness.scenario_file import load_scenario

SCENARIOS = Path(__file__).resolve().parents[2] / "scenario" / "examples"
GOOD = (SCENARIOS / "staggered.toml").read_text()


@pytest.mark.parametrize("file", sorted(SCENARIOS.glob("*.toml")), ids=lambda file: file.stem)
def test_shipped_scenarios_load(file: Path) -> None:
    scenario = load_scenario(file)
    assert not scenario.published or published_table(scenario.published).rows


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("packet_bytes = 1052", "packet_size = 1052", "top of the file, key `packet_size`: unknown key; is `packet_bytes` meant"),
        (
            "rate_mbps = 36",
            "rate_mbps = -36",
            r"\[topology\.bottleneck\], key `rate_mbps`: -36 is not allowed; it takes a number, above 0, .*rate_mbps = 20",
        ),
        ("queue_packets = 100", 'queue_packets = "many"', r"`queue_packets`: \"many\" is not allowed; it takes a whole number"),
        ('sender = "h1"', 'sender = "h9"', "there is no host 'h9'"),
        ('receiver = "h4"', 'receiver = "h1"', "same host"),
        ('name = "B"', 'name = "A"', "name is used twice"),
        ("start_s = 10", "start_s = 30", "starts at 30 s but the run ends before"),
        ("duration_s = 21", "duration_s = 5", "not in this order"),
        ("schema = 2\n", "", "schema 1; this testbed reads schema 2"),
        ("[topology]", "reallocate_on_departure = false\n[topology]", "gone: .*without"),
        ("measure_from_s = 11", "measure_last_s = 10", "gone: .*measure_from_s"),
        ("rate_mbps = 36", 'rate_mbps = "= rate"', r"topology\.bottleneck\.rate_mbps: .*'rate' is not defined"),
        ('"bbr"]', '"b;br"]', r"table \[run\], key `schemes`, entry 4: \"b;br\" is not allowed"),
        (
            'kind = "dumbbell"',
            'kind = "ring"',
            r"table \[topology\], key `kind`: \"ring\" is not allowed; it must be one of dumbbell, fat_tree, graph, leaf_spine",
        ),
        ("[run]", "[run", "not valid TOML"),
        ('"bbr"]', '"reno"]', "a scheme is named twice"),
    ],
)
def test_wrong_scenarios_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    file = tmp_path / "wrong.toml"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(UserError, match=message) as caught:
        load_scenario(file)
    assert str(file) in str(caught.value)


def test_missing_file_and_binary_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        load_scenario(tmp_path / "none.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not a text file"):
        load_scenario(binary)


GRID = """
schema = 2
title = "Grid"
without = "= left_out"
[topology]
kind = "dumbbell"
pairs = 1
access = { rate_mbps = 100 }
bottleneck = { rate_mbps = "= rate_mbps", delay_ms = "= {10: 5, 20: 2.5}[rate_mbps]", reverse = { loss_percent = 1 } }
[[transmissions]]
name = "A"
sender = "h1"
receiver = "h2"
[run]
schemes = "= ['cubic'] if left_out else ['cubic', 'reno']"
duration_s = 4
[quick]
grid = { rate_mbps = [20] }
run = { duration_s = 2 }
[full]
grid = { rate_mbps = [10, 20, 1000] }
topology.bottleneck.delay_ms = 40
[grid]
rate_mbps = [10, 20]
left_out = ["", "D1,D2"]
"""


def write(folder: Path, text: str, name: str = "file.toml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_a_grid_is_a_product_and_expressions_follow_it(tmp_path: Path) -> None:
    file = read_scenario_file(write(tmp_path, GRID))
    points = file.points()
    assert points == [{"rate_mbps": rate, "left_out": out} for rate in (10, 20) for out in ("", "D1,D2")]
    scenario = file.scenario(points[3])
    assert isinstance(scenario.topology, Dumbbell)
    assert scenario.topology.bottleneck.there.delay_us == 2500
    assert (scenario.topology.bottleneck.there.loss, scenario.topology.bottleneck.back.loss) == (0, 0.01)
    assert scenario.without == ["D1", "D2"]
    assert scenario.run.schemes == ["cubic"]


def test_quick_is_merged_over_the_file(tmp_path: Path) -> None:
    file = read_scenario_file(write(tmp_path, GRID), Size.QUICK)
    assert [point["rate_mbps"] for point in file.points()] == [20, 20]
    assert file.scenario(file.points()[0]).run.duration_s == 2


def test_full_is_merged_over_the_file(tmp_path: Path) -> None:
    file = read_scenario_file(write(tmp_path, GRID), Size.FULL)
    assert [point["rate_mbps"] for point in file.points()] == [10, 10, 20, 20, 1000, 1000]
    largest = file.scenario(file.points()[-1])
    assert (largest.topology.layout().trunks[0].link.there.delay_us, largest.run.duration_s) == (40_000, 4)


def test_a_file_says_in_which_sizes_it_is_reported(tmp_path: Path) -> None:
    assert read_scenario_file(write(tmp_path, GRID)).sizes == tuple(Size)
    assert read_scenario_file(write(tmp_path, f'sizes = ["full"]\n{GRID}')).sizes == (Size.FULL,)
    for wrong in ('["huge"]', "[]", '"full"', "[[]]"):
        with pytest.raises(UserError, match="`sizes`: a list is wanted, of some of quick, normal, full"):
            read_scenario_file(write(tmp_path, f"sizes = {wrong}\n{GRID}"))


def test_several_grids_are_united(tmp_path: Path) -> None:
    text = GRID.split("[grid]")[0] + '[[grid]]\nrate_mbps = [10, 20]\nleft_out = ""\n[[grid]]\nrate_mbps = 20\nleft_out = ["", "D3"]\n'
    assert [tuple(point.values()) for point in read_scenario_file(write(tmp_path, text)).points()] == [(10, ""), (20, ""), (20, "D3")]


def test_constants_stand_in_expressions_and_in_the_grid(tmp_path: Path) -> None:
    constants = '[constants]\neveryone = ["reno", "cubic", "bbr"]\n'
    text = GRID.split("[grid]")[0]
    file = read_scenario_file(write(tmp_path, f'{text}\n{constants}[grid]\nrate_mbps = 10\nleft_out = ""\nrival = "= everyone[1:]"\n'))
    assert [point["rival"] for point in file.points()] == ["cubic", "bbr"]
    schemes = '[run]\nschemes = "= [one for one in everyone if one != rival]"\n'
    based = f'schema = 2\nbase = "file.toml"\nconstants.everyone = ["reno", "vegas"]\n{schemes}'
    changed = read_scenario_file(write(tmp_path, based, "changed.toml"))
    assert [(point["rival"], changed.scenario(point).run.schemes) for point in changed.points()] == [("vegas", ["reno"])]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("constants = [1]\n", r"table \[constants\]: it is a table of names"),
        ("constants = { a = [1] }\ngrid = { a = [2] }\n", "key `a`: a constant has this name, too"),
        ('grid = { a = "= b" }\n', "key `a`: .* in \\[grid\\], expressions have the names of"),
    ],
)
def test_wrong_constants_are_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as told:
        read_scenario_file(write(tmp_path, f"schema = 2\n{text}"))
    assert re.search(said, str(told.value).replace("\n", " "))


def test_a_base_is_changed_by_what_is_based_on_it(tmp_path: Path) -> None:
    write(tmp_path, GOOD, "base.toml")
    changed = load_scenario(write(tmp_path, 'schema = 2\nbase = "base.toml"\n[topology.bottleneck]\nrate_mbps = 12\n'))
    assert isinstance(changed.topology, Dumbbell)
    assert (changed.topology.bottleneck.rate_mbps, changed.topology.bottleneck.queue_packets) == (12, 100)
    assert [t.name for t in changed.transmissions] == ["A", "B", "C"]


def test_files_cannot_be_based_on_one_another_in_a_circle(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="too deep, or in a circle"):
        load_scenario(write(tmp_path, 'schema = 2\nbase = "file.toml"\n'))


def test_a_trace_may_be_a_file(tmp_path: Path) -> None:
    write(tmp_path, "at_s,rate_mbps,delay_ms\n0,36,\n5,12,40\n", "radio.csv")
    text = GOOD.replace("queue_packets = 100", 'queue_packets = 100, trace = "radio.csv"')
    bottleneck = load_scenario(write(tmp_path, text)).topology.layout().trunks[0].link
    assert [(step.at_s, step.rate_mbps, step.delay_ms) for step in bottleneck.there.trace] == [(0, 36, None), (5, 12, 40)]
    write(tmp_path, "at_s,rate_mbps\n0,quick\n", "radio.csv")
    with pytest.raises(UserError, match="this is no trace"):
        load_scenario(tmp_path / "file.toml")


def with_file(folder: Path, path: str) -> Path:
    (folder / "one.toml").write_text(f'{GOOD}\n[files]\n"send.py" = {{ path = "{path}" }}\n')
    return folder / "one.toml"


def test_a_text_for_programs_may_be_a_file_beside(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("#!/usr/bin/env python3\n")
    assert load_scenario(with_file(tmp_path, "mine.py")).files == {"send.py": "#!/usr/bin/env python3\n"}


def test_so_may_one_of_a_size(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("pass\n")
    (tmp_path / "one.toml").write_text(f'{GOOD}\n[quick.files]\n"send.py" = {{ path = "mine.py" }}\n')
    assert read_scenario_file(tmp_path / "one.toml", Size.QUICK).content["files"] == {"send.py": "pass\n"}


def test_a_file_for_programs_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"files\.send\.py: .*mine\.py: No such file"):
        load_scenario(with_file(tmp_path, "mine.py"))
    (tmp_path / "mine.py").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="this is not a text file"):
        load_scenario(with_file(tmp_path, "mine.py"))
