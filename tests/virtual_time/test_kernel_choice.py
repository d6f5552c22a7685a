"""Kernels by their names, the patches and settings of each, and their sources: archives, trees, and those of Debian's archive."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

import virtual_time.kernel.build as kernel_build
from common.errors import UserError
from virtual_time.kernel import debian_sources
from virtual_time.kernel.choice import MORE_PATCHES, SOURCE, KernelChoice
from virtual_time.kernel.releases import DEFAULT, PATCHES, RELEASES, Version, configuration_for, patches_for
from virtual_time.kernel.sources import Sources, apply_patches

MAKEFILE = "# SPDX\nVERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\n"
FILES = {"Makefile": MAKEFILE, "arch/um/Makefile": "", "net/ipv4/tcp_cubic.c": "static int beta = 717;\n", "sound/core.c": "left out\n"}
PATCH = "--- a/net/ipv4/tcp_cubic.c\n+++ b/net/ipv4/tcp_cubic.c\n@@ -1 +1 @@\n-static int beta = 717;\n+static int beta = 512;\n"


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (SOURCE, MORE_PATCHES):
        monkeypatch.delenv(name, raising=False)


def tree(folder: Path) -> Path:
    """Make sources that look like those of Linux."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def archive(file: Path) -> Path:
    """Make an archive of them; a Makefile further down comes first."""
    with tarfile.open(file, "w:xz") as made:
        for name, text in sorted(FILES.items(), key=lambda one: one[0] == "Makefile"):
            info = tarfile.TarInfo(f"linux-source-7.3/{name}")
            info.size = len(text)
            made.addfile(info, io.BytesIO(text.encode()))
    return file


def test_texts_and_what_they_mean(tmp_path: Path) -> None:
    patches = tmp_path / "patches"
    patches.mkdir()
    for name in ("2.patch", "1.diff", "notes.txt"):
        (patches / name).write_text(PATCH)
    sources = tree(tmp_path / "a+b")
    assert KernelChoice.of("") == KernelChoice("", DEFAULT)
    assert KernelChoice.of("7.3").source == "7.3"
    assert KernelChoice.of(f"7.3+{patches}").patches == (patches / "1.diff", patches / "2.patch")
    assert KernelChoice.of(f"6.12+{patches / '2.patch'}").patches == (patches / "2.patch",)
    assert KernelChoice.of(str(sources)).source == sources
    assert KernelChoice.of(f"{sources}+{patches}").patches[0].name == "1.diff"
    assert KernelChoice.of(f"+{patches}").source == DEFAULT
    assert [KernelChoice.of(text).is_default for text in ("", "6.12", "7.3", f"6.12+{patches}")] == [True, True, False, False]


def test_variables_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.patch").write_text(PATCH)
    monkeypatch.setenv(SOURCE, str(tree(tmp_path / "linux")))
    monkeypatch.setenv(MORE_PATCHES, str(tmp_path / "mine.patch"))
    assert KernelChoice.of("").source == tmp_path / "linux"
    assert KernelChoice.of("").is_default
    assert KernelChoice.of("7.3") == KernelChoice("7.3", "7.3", (tmp_path / "mine.patch",))
    assert not KernelChoice.of("6.12").is_default
    monkeypatch.setenv(SOURCE, str(tmp_path / "none"))
    with pytest.raises(UserError, match=r"KERNEL_SOURCE=.*none: there is no such file or folder"):
        KernelChoice.of("")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8.0", "KERNEL=8.0: the testbed knows no such Linux, and there is no such file or folder"),
        ("7.3+nothing", "nothing: there is no such file or folder"),
        ("7.3+{folder}", "there is no patch in this folder"),
    ],
)
def test_texts_that_mean_nothing(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=words) as error:
        KernelChoice.of(text.format(folder=tmp_path))
    assert error.value.remedy


def test_the_patches_of_each_release() -> None:
    """Every patch is for the oldest release; a later one takes the newest form of each that still has something to do."""
    oldest, newest = (patches_for(RELEASES[name].version) for name in ("6.12", "7.3"))
    assert [file.name for file in oldest] == sorted(file.name for file in PATCHES.glob("*.patch") if ".from-" not in file.name)
    assert {file.name.split("-")[0] for file in newest} < {file.name.split("-")[0] for file in oldest}
    assert all(f"{file.name.removesuffix('.patch')}.from-7.3.patch" not in {one.name for one in PATCHES.iterdir()} for file in newest)
    assert patches_for(Version(7, 2)) == oldest
    assert patches_for(Version(7, 10)) == newest


def test_the_settings_of_each_release() -> None:
    oldest, newest = (set(configuration_for(RELEASES[name].version).splitlines()) for name in ("6.12", "7.3"))
    assert "CONFIG_PROC_SYSCTL=y" in oldest - newest
    assert "CONFIG_NET_SCH_DUALPI2=y" in newest - oldest
    assert len(oldest & newest) > 80


@pytest.mark.parametrize("make", [tree, archive])
def test_sources_are_unpacked_and_patched(make: object, tmp_path: Path) -> None:
    path = tree(tmp_path / "linux") if make is tree else archive(tmp_path / "linux.tar.xz")
    sources = Sources(path, tmp_path / "memory.json")
    assert sources.version == Version(7, 3)
    sources.unpack(tmp_path / "out")
    assert not (tmp_path / "out/sound/core.c").exists()
    patch = tmp_path / "beta.patch"
    patch.write_text(PATCH)
    apply_patches(tmp_path / "out", [patch], sources.version)
    assert "beta = 512" in (tmp_path / "out/net/ipv4/tcp_cubic.c").read_text()
    assert "beta = 717" in "".join(FILES.values())
    with pytest.raises(UserError, match=r"beta\.patch does not fit these sources of Linux 7.3"):
        apply_patches(tmp_path / "out", [patch], sources.version)


def test_a_trees_checksum_is_that_of_its_own_files(tmp_path: Path) -> None:
    """Files of a build in a tree do not count; a person's changes do. In git's trees, files that git ignores do not count either."""
    linux = tree(tmp_path / "linux")

    def checksum() -> str:
        return Sources(linux, tmp_path / "memory.json").checksum

    before = checksum()
    for name in ("kernel/fork.o", "include/generated/autoconf.h", ".config"):
        (linux / name).parent.mkdir(parents=True, exist_ok=True)
        (linux / name).write_text("built")
    assert checksum() == before
    (linux / "net/ipv4/tcp_cubic.c").write_text("static int beta = 512;\n")
    assert checksum() != before
    subprocess.run(["git", "init", "--quiet", linux], check=True)
    (linux / ".gitignore").write_text("*.o\n.config\ninclude/generated\n")
    in_git = checksum()
    (linux / "kernel/exit.o").write_text("built")
    assert checksum() == in_git
    (linux / "net/ipv4/new.c").write_text("")
    assert checksum() != in_git


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_what_is_no_sources(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "linux.tar.xz").write_bytes(content)
    for path in (tmp_path / "linux.tar.xz", tmp_path):
        with pytest.raises(UserError, match="no sources of Linux"):
            _ = Sources(path, tmp_path / "memory.json").version


def test_names_of_kernels_in_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_build, "CACHE", tmp_path)
    (tmp_path / "beta.patch").write_text(PATCH)
    linux = str(archive(tmp_path / "linux.tar.xz"))
    assert [kernel_build.name_of(text) for text in ("", "6.12", "7.3")] == ["", "", "linux-7.3"]
    plain, patched = (kernel_build.name_of(text) for text in (linux, f"{linux}+{tmp_path / 'beta.patch'}"))
    assert plain != patched
    assert plain.startswith("linux-")


def test_a_release_that_cannot_be_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_lines(_suite: str) -> list[str]:
        raise UserError("apt has no list of Debian's packages", "apt-get update")

    monkeypatch.setattr(debian_sources, "apt_lines", no_lines)
    with pytest.raises(UserError, match=r"Linux 7.3 cannot be fetched: apt has no list of Debian's packages") as error:
        debian_sources.archive_of(RELEASES["7.3"], tmp_path)
    assert "KERNEL=PATH" in (error.value.remedy or "")
    (tmp_path / "linux-source-7.3.tar.xz").write_bytes(b"fetched before")
    assert debian_sources.archive_of(RELEASES["7.3"], tmp_path) == tmp_path / "linux-source-7.3.tar.xz"
