"""Files are there whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from common.whole_files import ABANDONED_S, UNFINISHED, is_unfinished, unfinished_folder, whole_file, whole_files, write_whole

REPOSITORY = Path(__file__).resolve().parents[2]


def unfinished_in(folder: Path) -> list[Path]:
    return list(folder.glob(f"{UNFINISHED}*"))


def test_a_file_is_there_when_the_block_is_over(tmp_path: Path) -> None:
    target = tmp_path / "new" / "object.o"
    with whole_file(target) as file:
        assert file.name == target.name
        assert is_unfinished(file)
        file.write_text("half")
        assert not target.exists()
        file.write_text("whole")
    assert target.read_text() == "whole"
    assert not is_unfinished(target)
    assert list(target.parent.iterdir()) == [target]


def test_a_block_that_raises_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "object.o"
    target.write_text("old")

    def make_half() -> None:
        with whole_file(target) as file:
            file.write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_several_files_take_their_places_together(tmp_path: Path) -> None:
    with whole_files(tmp_path) as folder:
        (folder / "a.json").write_text("a")
        (folder / "a.txtpb").write_text("b")
        (folder / "latest").symlink_to("a.json")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.json", "a.txtpb", "latest"]
    assert (tmp_path / "latest").read_text() == "a"


def test_others_may_read_it(tmp_path: Path) -> None:
    """As far as the process's mask lets them; a temporary file of Python's is its maker's alone."""
    mask = os.umask(0o022)
    try:
        write_whole(tmp_path / "file", "text")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


def test_makers_side_by_side_do_not_meet(tmp_path: Path) -> None:
    target, together, errors = tmp_path / "file", threading.Barrier(8), []

    def make(number: int) -> None:
        try:
            together.wait()
            for _ in range(20):
                with whole_file(target) as file:
                    file.write_text(f"{number}" * 1000)
                assert len(set(target.read_text())) == 1
        except BaseException as error:  # told to the test
            errors.append(error)

    makers = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert not errors
    assert len(target.read_text()) == 1000
    assert not unfinished_in(tmp_path)


def test_what_a_killed_maker_has_left_goes_in_time(tmp_path: Path) -> None:
    with unfinished_folder(tmp_path) as old, unfinished_folder(tmp_path) as new:
        (old / "object.o").touch()
        long_ago_s = new.stat().st_mtime - ABANDONED_S - 1
        os.utime(old, (long_ago_s, long_ago_s))
        write_whole(tmp_path / "another", "")
        assert unfinished_in(tmp_path) == [new]


RENAMES = {
    "common/whole_files.py": "for all others",
    "virtual_time/kernel/build.py": "a folder, under a lock",
    "hosts/cca/modules.py": "modules of one `make`, out of an unfinished folder into folders of their own",
    "hosts/cca/module_recipe.py": "a kernel's headers, a whole folder out of an unfinished one",
    "virtual_time/scratch.py": "temporary folders",
    "testbed/packaging/container_image.py": "an image, a whole folder out of an unfinished one",
}
"""Files that rename what they have made, and why."""


def test_nobody_has_temporary_names_of_his_own() -> None:
    words = (".rename(", "os.replace(", "os.rename(", '".tmp"', ".partial", ".replace(target", "NamedTemporaryFile(delete")
    folders = [path for path in REPOSITORY.iterdir() if path.is_dir() and not path.name.startswith(".")]
    found = set()
    for folder in folders:
        if folder.name in ("build", "results", "switch", "tests"):
            continue
        for file in folder.rglob("*.py"):
            if "node_modules" not in file.parts and any(word in file.read_text(encoding="utf-8") for word in words):
                found.add(str(file.relative_to(REPOSITORY)))
    assert found <= RENAMES.keys(), "use common/whole_files.py: makers side by side must not have one temporary name"
    assert found > {"virtual_time/kernel/build.py"}, "the test finds nothing any more"
