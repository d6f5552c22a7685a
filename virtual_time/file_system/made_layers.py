"""The layers of a file system inside, made of files of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from virtual_time.file_system.image import CACHE, checkout
from virtual_time.file_system.layer import Layer, LayerContent, make_layer
from virtual_time.file_system.programs_layer import programs_layer
from virtual_time.file_system.scapy_layer import SCAPY, scapy_layer
from virtual_time.file_system.userland import PACKAGES, commands_layer, testing, userland

USERLAND, COMMANDS, PROGRAMS, CHECKOUT = "userland", "commands", "programs", "checkout"
"""Names of layers; one of Python packages is called as these."""


def made_layers(
    *,
    with_tests: bool = False,
    commands: Sequence[Path] = (),
    programs: Sequence[Path] = (),
    packages: Sequence[str] = (),
    cache: Path = CACHE,
) -> list[Layer]:
    """All layers, in the order in which they come one over the other; the checkout is the last one.

    Args:
        with_tests, commands, programs, packages: as :meth:`virtual_time.session.Session.prepare` has them.
        cache: where they are kept.

    Raises:
        UserError: something is not installed.
    """
    own = testing() if with_tests else userland()
    there = own
    layers = [make_layer(f"{USERLAND}-tests" if with_tests else USERLAND, own, cache)]
    if more := [name for name in packages if not with_tests]:
        there = userland((*PACKAGES, *more))
        layers.append(make_layer("-".join(["packages", *more]), _beside(there, own), cache))
    if commands:
        layers.append(make_layer(COMMANDS, commands_layer(commands, there), cache))
    if programs:
        layers.append(make_layer(PROGRAMS, programs_layer(programs, there), cache))
    if SCAPY in packages:
        layers.append(make_layer(SCAPY, scapy_layer(there), cache))
    return [*layers, make_layer(f"{CHECKOUT}-tests" if with_tests else CHECKOUT, checkout(with_tests=with_tests), cache)]


def _beside(larger: LayerContent, smaller: LayerContent) -> LayerContent:
    """The files that only the larger one has; all else of it is in the smaller one."""
    return LayerContent({inside: file for inside, file in larger.files.items() if inside not in smaller.files})
