"""Parameters of the kernel that are set for a run, and set back afterwards, whatever happens: ``tcp_cubic.hystart``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from common.errors import UserError

MODULES = Path("/sys/module")

Watch = Callable[[Path, str], None]
"""Told of each file and its content before it is changed: the janitor, for a run that is killed."""


@contextlib.contextmanager
def _changed(file: Path, value: str, watch: Watch) -> Iterator[None]:
    """Have a file of the kernel's say ``value`` inside the block.

    Raises:
        OSError: the kernel has no such file, or does not take the value.
    """
    before = file.read_text().strip()
    watch(file, before)
    file.write_text(value)
    try:
        yield
    finally:
        file.write_text(before)


@contextlib.contextmanager
def kernel_parameters(wanted: Mapping[str, str], watch: Watch = lambda _file, _value: None, modules: Path = MODULES) -> Iterator[None]:
    """Set parameters inside the block.

    Args:
        wanted: by ``MODULE.PARAMETER``.
        watch: see :data:`Watch`.
        modules: where the kernel shows its modules.

    Raises:
        UserError: the kernel has no such parameter, or does not take the value.
    """
    with contextlib.ExitStack() as cleanup:
        for name, value in wanted.items():
            module, _, parameter = name.partition(".")
            file = modules / module / "parameters" / parameter
            try:
                cleanup.enter_context(_changed(file, value, watch))
            except OSError as error:
                raise UserError(f"kernel_parameters: {name} = {value}: {error.strerror}", f"the kernel shows it as {file}") from None
        yield
