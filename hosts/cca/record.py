"""The record of the congestion controls that this testbed has registered in the running kernel: a small file.

It outlives the process, but not the machine's boot. Without it, a later ``unload`` could not tell our congestion controls from somebody
else's of the same name.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from common.errors import UserError

RECORD_FILE = Path("/run/nodectl/cca.json")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Registered:
    """One registered congestion control: its name in the kernel, the scheme as people write it, the struct_ops map that holds it (None:
    it is a module), and the object it came from.
    """

    kernel_name: str
    text: str
    map_id: int | None
    object_sha256: str


@contextmanager
def locked_record(path: Path = RECORD_FILE) -> Iterator[dict[str, Registered]]:
    """The record by the kernel's names, to be changed in place; written back at the end, while nobody else can touch it.

    A record of an earlier boot, or one that cannot be read, counts as empty.

    Raises:
        UserError: the file cannot be written (no privileges).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}", "run this as root") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        record = _parse(file.read())
        try:
            yield record
        finally:
            file.seek(0)
            file.truncate()
            json.dump({"boot_id": _boot_id(), "registered": [asdict(entry) for entry in record.values()]}, file)


def read_record(path: Path = RECORD_FILE) -> dict[str, Registered]:
    """The record by the kernel's names, as it is now; empty if there is none or it may not be read."""
    try:
        with path.open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            return _parse(file.read())
    except OSError:
        return {}


def _boot_id() -> str:
    return _BOOT_ID.read_text(encoding="ascii").strip()


def _parse(text: str) -> dict[str, Registered]:
    try:
        content = json.loads(text)
        if content["boot_id"] != _boot_id():
            return {}
        entries = [
            Registered(str(e["kernel_name"]), str(e["text"]), None if e["map_id"] is None else int(e["map_id"]), str(e["object_sha256"]))
            for e in content["registered"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {entry.kernel_name: entry for entry in entries}
