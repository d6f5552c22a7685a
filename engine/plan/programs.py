"""Programs that take the place of the testbed's own in a run, wherever they are: somebody's data plane, somebody's controller."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

P4_SUFFIX, PYTHON_SUFFIX = ".p4", ".py"


@dataclass(frozen=True)
class Programs:
    """What is run instead of the testbed's own; None: the testbed's.

    Args:
        p4: the data plane of all switches. What it includes is beside it, or in folders below.
        controller: a Python program that is started with the options of ``python -m controller``. What it imports, if it is not the
            testbed's, is beside it.
    """

    p4: Path | None = None
    controller: Path | None = None

    def files(self, folder: str) -> dict[str, Path]:
        """All files that they consist of, by the paths that :meth:`below` gives them."""
        found = {}
        for program, suffix, place in self._listed(folder):
            for file in sorted(program.parent.rglob(f"*{suffix}")):
                found[str(place / file.relative_to(program.parent))] = file
        return found

    def below(self, folder: str) -> Programs:
        """The same programs, once their files have been put below ``folder``."""
        places = {suffix: Path(place / program.name) for program, suffix, place in self._listed(folder)}
        return Programs(places.get(P4_SUFFIX), places.get(PYTHON_SUFFIX))

    def _listed(self, folder: str) -> list[tuple[Path, str, PurePosixPath]]:
        wanted = ((self.p4, P4_SUFFIX, "p4"), (self.controller, PYTHON_SUFFIX, "controller"))
        return [(program, suffix, PurePosixPath(folder, name)) for program, suffix, name in wanted if program is not None]
