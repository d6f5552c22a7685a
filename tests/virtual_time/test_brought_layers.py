"""The file system that the wheel brings: unpacked once, by whoever comes first."""

from __future__ import annotations

import lzma
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from common.errors import UserError
from common.installation import BroughtLayer, Note
from virtual_time.file_system.brought_layers import SUFFIX, brought_layers

CONTENT = {"userland": b"u" * 3_000_000, "checkout": b"c" * 1000, "commands": b"b", "programs": b"p", "scapy": b"s"}
NOTE = Note("1", "abc", "0123", {name: BroughtLayer(f"digest-of-{name}", len(data)) for name, data in CONTENT.items()})


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    folder = tmp_path / "packed"
    folder.mkdir()
    for name, data in CONTENT.items():
        (folder / f"{name}{SUFFIX}").write_bytes(lzma.compress(data))
    return folder


def unpack(folders: tuple[Path, Path]) -> list[bytes]:
    packed, cache = folders
    return [layer.archive.read_bytes() for layer in brought_layers(NOTE, cache=cache, folder=packed)]


def test_runs_that_begin_at_once_unpack_once(packed: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with ProcessPoolExecutor(4) as pool:
        for found in pool.map(unpack, [(packed, cache)] * 4):
            assert found == [CONTENT["userland"], CONTENT["checkout"]]
    assert sorted(file.name for file in cache.glob("*.cpio")) == ["checkout-digest-of-checkout.cpio", "userland-digest-of-userland.cpio"]
    assert not list(cache.glob("unfinished-*"))


def test_half_an_archive_is_unpacked_anew(packed: Path, tmp_path: Path) -> None:
    half = tmp_path / "userland-digest-of-userland.cpio"
    half.write_bytes(b"uu")
    brought_layers(NOTE, cache=tmp_path, folder=packed)
    assert half.read_bytes() == CONTENT["userland"]


def test_what_a_run_wants_besides(packed: Path, tmp_path: Path) -> None:
    layers = brought_layers(
        NOTE, commands=[Path("/lib/libbpf.so.1")], programs=[Path("/usr/bin/curl")], packages=["scapy"], cache=tmp_path, folder=packed
    )
    assert [layer.digest.removeprefix("digest-of-") for layer in layers] == ["userland", "scapy", "commands", "programs", "checkout"]


def test_what_no_wheel_brings(packed: Path, tmp_path: Path) -> None:
    for wanted in ({"with_tests": True}, {"commands": [Path("/usr/bin/simple_switch_grpc")]}, {"packages": ["torch"]}):
        with pytest.raises(UserError, match="an installed testbed has no"):
            brought_layers(NOTE, **wanted, cache=tmp_path, folder=packed)


def test_a_cache_that_cannot_be_written(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    with pytest.raises(UserError, match=r"cannot unpack what was installed to .*cache") as raised:
        brought_layers(NOTE, cache=tmp_path / "cache", folder=packed)
    assert "XDG_CACHE_HOME names another folder" in raised.value.remedy


def test_an_archive_that_is_damaged(packed: Path, tmp_path: Path) -> None:
    (packed / f"userland{SUFFIX}").write_bytes(b"nothing of the kind")
    with pytest.raises(UserError, match="cannot unpack"):
        brought_layers(NOTE, cache=tmp_path / "cache", folder=packed)
