"""An image with another past: programs that do more before a run begins, and files that nobody asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from common.installation import PROJECT
from virtual_time.file_system.image import CACHE, assemble, checkout
from virtual_time.file_system.layer import LayerContent, make_layer
from virtual_time.file_system.userland import userland
from virtual_time.places import INSIDE
from virtual_time.session import Session

NAME = "altered"
"""Of the layer. Its modules are found before those of the layer `checkout`, which comes later by name."""

ADDED = "added"
"""The module that programs import besides."""

IMPORTERS = ("hosts/sender.py", "controller/session.py", "engine/execute/measure.py")
"""A module of each kind of program of a run."""

FUTURE = "from __future__ import annotations\n"

NOTHING = ""
LOOKS = """
import importlib, os
for number in range(1000):
    try:
        os.stat(f"/nowhere/{number}")
    except OSError:
        pass
for number in range(50):
    try:
        importlib.import_module(f"nothing_{number}")
    except ImportError:
        pass
"""
CONSUMES = """
import os, random, subprocess, threading
os.urandom(1000)
random.random()
kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(7)]
memory = [bytearray(1 << 20) for _ in range(5)] + [object() for _ in range(12345)]
for _ in range(3):
    subprocess.run(["true"], check=True)
"""
TAKES_TIME = """
import time
time.sleep(0.0371234)
"""


def altered_files(folder: Path, module: str | None, *, files: Mapping[str, str] | None = None) -> dict[str, Path]:
    """Files by their places inside.

    Args:
        folder: where they are made.
        module: the text of the module that programs import before the run begins; None: none is imported.
        files: others, by their places below the checkout.
    """
    made: dict[str, str] = dict(files or {})
    if module is not None:
        for importer in IMPORTERS:
            package = importer.rpartition("/")[0]
            made[f"{package}/{ADDED}.py"] = module
            name = f"{package.replace('/', '.')}.{ADDED}"
            made[importer] = _with_line((PROJECT / importer).read_text(encoding="utf-8"), f"import {name}\n")
    found = {}
    for place, text in made.items():
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        found[f"{INSIDE}/{place}"] = file
    return found


def _with_line(source: str, line: str) -> str:
    before, future, after = source.partition(FUTURE)
    assert future, "every module has that line"
    return before + future + line + after


def session_with(folder: Path, files: Mapping[str, Path]) -> Session:
    """A session whose image has files over those of the usual one.

    Args:
        folder: where the archives go.
        files: by their places inside.
    """
    usual = Session.prepare()
    layers = [make_layer(name, content, CACHE) for name, content in (("userland", userland()), ("checkout", checkout()))]
    altered = make_layer(NAME, LayerContent(files), folder)
    return replace(usual, image=assemble([*layers, altered], folder), inputs=replace(usual.inputs, checkout=altered.digest))
