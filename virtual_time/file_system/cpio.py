"""Writes archives in the cpio format ``newc``, which the kernel unpacks into its first file system (its initramfs).

Everything that differs from machine to machine (owners, times, inode numbers, order of files) is fixed here.
"""

from __future__ import annotations

import stat
from types import TracebackType
from typing import BinaryIO

TRAILER = "TRAILER!!!"
ALIGNMENT = 4
PAGE_BYTES = 4096
"""Whole pages of a file's content become the file's pages, without a copy (kernel/patches/0018-boot-without-copies.patch)."""


class CpioWriter:
    """Context manager that writes one archive; several of them, one after the other in a file, are unpacked as one.

    Args:
        stream: open for writing, binary.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._inode = 0
        self._folders: set[str] = set()

    def __enter__(self) -> CpioWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            self._entry(TRAILER, 0, b"")
            self._fill(0)

    def folder(self, path: str, mode: int = 0o755) -> None:
        """A folder, and those above it, if they are not there yet. Paths begin with a slash."""
        if path in ("", "/") or path in self._folders:
            return
        self.folder(path.rpartition("/")[0])
        self._folders.add(path)
        self._entry(path, stat.S_IFDIR | mode, b"")

    def file(self, path: str, content: bytes, *, executable: bool = False) -> None:
        """A file that everybody can read."""
        self.folder(path.rpartition("/")[0])
        self._entry(path, stat.S_IFREG | (0o755 if executable else 0o644), content)

    def link(self, path: str, target: str) -> None:
        """A symbolic link."""
        self.folder(path.rpartition("/")[0])
        self._entry(path, stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, path: str, major: int, minor: int) -> None:
        """A device node for root; an archive may hold one without anybody having to be root."""
        self.folder(path.rpartition("/")[0])
        self._entry(path, stat.S_IFCHR | 0o600, b"", (major, minor))

    def _entry(self, path: str, mode: int, content: bytes, device: tuple[int, int] = (0, 0)) -> None:
        self._inode += 1
        name = path.lstrip("/").encode() + b"\0"
        links = 2 if stat.S_ISDIR(mode) else 1
        # inode, mode, owner, group, links, time, size, device of the file system (2), of the node (2), length of the name, checksum
        fields = (self._inode, mode, 0, 0, links, 0, len(content), 0, 0, *device, len(name), 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        if len(content) >= PAGE_BYTES:
            self._fill(len(_aligned(header + name)))
        for part in (header + name, content):
            self._stream.write(_aligned(part))

    def _fill(self, before: int) -> None:
        """Zeroes, which are passed over, until a page begins after so many bytes."""
        self._stream.write(b"\0" * (-(self._stream.tell() + before) % PAGE_BYTES))


def _aligned(part: bytes) -> bytes:
    return part + b"\0" * (-len(part) % ALIGNMENT)
