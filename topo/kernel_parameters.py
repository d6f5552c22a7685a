"""Parameters of the kernel's modules that a scenario sets for its runs, ``tcp_cubic.hystart``; set back afterwards, whatever happens."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from common.errors import UserError

MODULES = Path("/sys/module")


@contextlib.contextmanager
def kernel_parameters(
    wanted: Mapping[str, str], watch: Callable[[Path, str], None] = lambda _file, _value: None, modules: Path = MODULES
) -> Iterator[None]:
    """Set parameters inside the block.

    Args:
        wanted: by ``MODULE.PARAMETER``.
        watch: told of each file and its content before it is changed (the janitor's, for a run that is killed).
        modules: where the kernel shows its modules.

    Raises:
        UserError: the kernel has no such parameter, or does not take the value.
    """
    with contextlib.ExitStack() as cleanup:
        for name, value in wanted.items():
            module, _, parameter = name.partition(".")
            file = modules / module / "parameters" / parameter
            try:
                before = file.read_text().strip()
                watch(file, before)
                cleanup.callback(file.write_text, before)
                file.write_text(value)
            except OSError as error:
                raise UserError(f"kernel_parameters: {name} = {value}: {error.strerror}", f"the kernel shows it as {file}") from None
        yield
