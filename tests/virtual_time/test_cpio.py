"""Archives in the format newc, read back by an independent reader."""

from __future__ import annotations

import io
import stat

from virtual_time.file_system.cpio import PAGE_BYTES, CpioWriter

HEADER_BYTES = 110


def entries(archive: bytes) -> dict[str, tuple[int, bytes, tuple[int, int]]]:
    """Mode, content and device number of each entry, up to the trailer."""
    found: dict[str, tuple[int, bytes, tuple[int, int]]] = {}
    position = 0
    while True:
        while archive[position] == 0:
            position += 4
        header = archive[position : position + HEADER_BYTES]
        assert header[:6] == b"070701"
        fields = [int(header[6 + 8 * index : 14 + 8 * index], 16) for index in range(13)]
        mode, size, major, minor, name_bytes = fields[1], fields[6], fields[9], fields[10], fields[11]
        assert fields[2:4] == [0, 0], "everything is root's"
        assert fields[5] == 0, "times are of no machine"
        start = position + HEADER_BYTES
        name = archive[start : start + name_bytes - 1].decode()
        start = (start + name_bytes + 3) & ~3
        if name == "TRAILER!!!":
            return found
        found[name] = (mode, archive[start : start + size], (major, minor))
        position = (start + size + 3) & ~3


def written() -> bytes:
    stream = io.BytesIO()
    with CpioWriter(stream) as writer:
        writer.folder("/tmp", 0o1777)
        writer.character_device("/dev/console", 5, 1)
        writer.file("/usr/bin/tool", b"#!/bin/sh\n", executable=True)
        writer.file("/etc/hosts", b"127.0.0.1 localhost\n")
        writer.link("/bin", "usr/bin")
    return stream.getvalue()


def test_everything_is_there_with_its_mode() -> None:
    found = entries(written())
    assert found["tmp"][0] == stat.S_IFDIR | 0o1777
    assert found["usr/bin/tool"][:2] == (stat.S_IFREG | 0o755, b"#!/bin/sh\n")
    assert found["etc/hosts"][:2] == (stat.S_IFREG | 0o644, b"127.0.0.1 localhost\n")
    assert found["bin"][:2] == (stat.S_IFLNK | 0o777, b"usr/bin")
    assert found["dev/console"] == (stat.S_IFCHR | 0o600, b"", (5, 1))


def test_folders_come_before_what_is_in_them_and_once() -> None:
    names = list(entries(written()))
    assert names.index("usr") < names.index("usr/bin") < names.index("usr/bin/tool")
    assert len(names) == len(set(names))


def test_archives_of_the_same_are_the_same() -> None:
    assert written() == written()


def test_contents_of_a_page_or_more_begin_at_a_page() -> None:
    stream = io.BytesIO(b"x" * PAGE_BYTES)
    stream.seek(0, io.SEEK_END)
    contents = {f"/{'a' * length}": bytes([length]) * (PAGE_BYTES + length) for length in (1, 2, 3, 200)}
    for _ in range(2):  # archives one after the other are unpacked as one
        with CpioWriter(stream) as writer:
            writer.file("/small", b"small")
            for path, content in contents.items():
                writer.file(path, content)
        assert stream.tell() % PAGE_BYTES == 0
    archive = stream.getvalue()
    assert all(archive.index(content) % PAGE_BYTES == 0 for content in contents.values())
