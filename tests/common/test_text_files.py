"""Text files of people: the messages about those that cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import UserError
from common.text_files import read_text
from controller.entries.reading import read_commands
from scenario.network_description import load_network
from testbed.prompt import lines_of
from testbed.tutorial.json_file import read_json
from tests.harness.scenario_file import load_scenario

READERS: list[Callable[[Path], object]] = [
    read_text, read_commands, read_json, load_scenario, load_network, lambda file: lines_of(str(file)),
]  # fmt: skip


def test_a_text_is_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes("a\r\nµ\n".encode())
    assert read_text(file) == "a\r\nµ\n"
    assert lines_of(str(file)) == ["a", "µ"]


@pytest.mark.parametrize("reader", READERS)
def test_all_say_the_same_of_what_cannot_be_read(reader: Callable[[Path], object], tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for file, why in ((tmp_path / "none", "No such file or directory"), (tmp_path, "Is a directory"), (binary, "this is not a text file")):
        with pytest.raises(UserError) as caught:
            reader(file)
        assert caught.value.what == f"{file}: {why}"


def test_whoever_names_a_file_and_what_helps_are_said(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_text(tmp_path / "none", key="files.a", missing="give a path")
    assert str(caught.value) == f"files.a: {tmp_path / 'none'}: No such file or directory\n  give a path"
