"""The file system of a machine inside, one archive of layers: programs, packages, the checkout."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from common.installation import MADE, PROJECT
from common.whole_files import whole_file
from common.write_errors import cannot_make, cannot_write
from virtual_time.file_system.imported_files import imported_files
from virtual_time.file_system.layer import DIGITS, Layer, LayerContent, files_below
from virtual_time.file_system.userland import PYTHON
from virtual_time.places import INSIDE

CACHE = MADE / "virtual"
CHECKOUT_FOLDERS = (
    "common", "protocol", "scenario", "controller", "hosts", "topo", "engine", "p4src", "virtual_time"
)  # fmt: skip
"""Folders that run inside. Reports, papers and scenarios do not: a new claim or caption changes no checksum of a run."""

LEFT_OUT = ("examples", "kernel")
"""Folders in those that do not run inside: scenario files, and the files that the kernel is built from."""

OUTSIDE_TOO = ("engine/", "virtual_time/")
"""Folders of which a part runs outside alone: planning, scheduling, the machine itself. Those that programs inside import go along."""

PROGRAMS = ("virtual_time/init.py", "engine/execute/inside.py", "engine/execute/inside_prompt.py")
"""The programs of these folders that are started inside. All of the others' files go along, since a user's program may import them."""

LOADED_BY_NAME = ("engine/metrics/",)
"""Packages whose modules are found in their folder."""

THRIFT = "switch/crates/bmv2-thrift/thrift"
CHECKOUT_FILES = ("pyproject.toml", *(f"{THRIFT}/{name}.thrift" for name in ("standard", "simple_pre_lag", "simple_switch")))
TEST_FOLDERS = ("tests", "docs", "bench", "reports", "view")
"""Further folders that tests look at."""

BINARIES = ("p4switch", "p4c-bm2-ss")
TEST_BINARIES = ("p4test", "p4sim", "p4graph", "simple_switch_grpc", "p4c")
RELEASE = "switch/target/release"
BUILT = "build"
BUILT_FILES = ("nodectl.json", "nodectl.p4info.txtpb")
"""The files that `make` has compiled. Other files that a run or a test has left there are no part of a checkout."""

KEPT_S = 3600.0
"""Images that nobody holds stay this long: the next run may want the same."""

_held: dict[Path, int] = {}
"""Images that this process boots from, until it ends: descriptors with a lock on them."""

INIT = f"#!/usr/bin/{PYTHON}\nimport sys\nsys.path.insert(0, '{INSIDE}')\nfrom virtual_time.init import main\nmain()\n"


@dataclass(frozen=True)
class Image:
    """An archive to boot from."""

    file: Path
    digest: str
    """Checksum of its content, the same on every machine that has the same versions of everything."""


def checkout(project: Path = PROJECT, *, with_tests: bool = False) -> LayerContent:
    """The files of a checkout that a run needs: Python, P4 programs, and those that `make` has built.

    Raises:
        UserError: it is not built yet.
    """
    files: dict[str, Path] = {}
    for name in CHECKOUT_FOLDERS:
        files |= files_below(project / name, name, skip=() if with_tests else LEFT_OUT)
    if not with_tests:
        taken = {name for name in files if not name.startswith(OUTSIDE_TOO) or name in PROGRAMS or name.startswith(LOADED_BY_NAME)}
        taken |= imported_files(files, taken)
        files = {name: file for name, file in files.items() if name in taken}
    files = {f"{INSIDE}/{name}": file for name, file in files.items()}
    for name in TEST_FOLDERS if with_tests else ():
        files |= files_below(project / name, f"{INSIDE}/{name}", skip=("node_modules",))
    for name in CHECKOUT_FILES:
        files[f"{INSIDE}/{name}"] = project / name
    for name in (*BINARIES, *(TEST_BINARIES if with_tests else ())):
        if (binary := project / RELEASE / name).exists():
            files[f"{INSIDE}/{RELEASE}/{name}"] = _stripped(binary)
    built = [file for file in (project / BUILT / name for name in BUILT_FILES) if file.exists()]
    if len(built) < len(BUILT_FILES) or f"{INSIDE}/{RELEASE}/p4switch" not in files:
        raise UserError("the switch or the P4 program is not built yet", "run `make setup`")
    files |= {f"{INSIDE}/{BUILT}/{file.name}": file for file in built}
    return LayerContent(files, texts={"/init": INIT}, executable=frozenset({"/init"}))


def assemble(layers: Sequence[Layer], cache: Path = CACHE) -> Image:
    """One archive of all layers, later ones over earlier ones.

    Raises:
        UserError: it cannot be written.
    """
    digest = hashlib.sha256("\n".join(layer.digest for layer in layers).encode()).hexdigest()[:DIGITS]
    image = cache / f"image-{digest}.cpio"
    while not _hold(image):
        try:
            with whole_file(image) as unfinished, unfinished.open("wb") as stream:
                _forget_old(cache, unfinished.stat().st_mtime)
                for layer in layers:
                    with layer.archive.open("rb") as source:
                        shutil.copyfileobj(source, stream, 1 << 22)
        except OSError as error:
            raise cannot_make(image, error) from None
    return Image(image, digest)


def _hold(image: Path) -> bool:
    """Keep others from removing an image while this process lives; returns whether the image is there at all."""
    if image in _held and image.exists():
        return True
    try:
        descriptor = os.open(image, os.O_RDONLY)
    except FileNotFoundError:
        return False
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    if os.fstat(descriptor).st_nlink == 0:  # it was removed before it was locked
        os.close(descriptor)
        return False
    _held[image] = descriptor
    return True


def _stripped(binary: Path) -> Path:
    """The same program without the parts that only debuggers read, a sixth of its size."""
    stripped = CACHE / "programs" / binary.name
    try:
        if stripped.stat().st_mtime_ns > binary.stat().st_mtime_ns:
            return stripped
    except OSError:
        pass  # there is none yet
    try:
        with whole_file(stripped) as unfinished:
            result = subprocess.run(["strip", "-o", str(unfinished), str(binary)], capture_output=True, text=True, check=False)
            if result.returncode != 0:
                raise UserError(f"cannot strip {binary}: {result.stderr.strip()}", "apt-get install binutils")
    except OSError as error:
        raise cannot_write(error) from None
    return stripped


def _forget_old(cache: Path, now_s: float) -> None:
    """Remove old images that nobody holds. ``now_s`` is by the clock of the files, which may not be that of this process."""
    for image in cache.glob("image-*"):
        if now_s - image.stat().st_mtime > KEPT_S:
            _remove_unless_held(image)


def _remove_unless_held(image: Path) -> None:
    try:
        descriptor = os.open(image, os.O_RDONLY)
    except FileNotFoundError:
        return  # somebody else has
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        image.unlink(missing_ok=True)
    except BlockingIOError:
        pass  # a run that boots from it is still going on
    finally:
        os.close(descriptor)
