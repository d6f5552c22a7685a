"""How checks are declared, and how one tells a mistake."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

CHECK_MARK: Final = "__lab_check__"
Checked = TypeVar("Checked", bound=Callable[..., Mapping[str, float] | None])


class Failed(Exception):  # noqa: N818 - a check's finding is no error of the program's
    """A mistake in a student's program.

    Args:
        message: one sentence that names the mistake as well as can be told from outside.
        details: lines below it: packets, differences.
        trace: the program's steps, in its own lines.
        scores: of a contest, by their names.
    """

    def __init__(
        self, message: str, details: Sequence[str] = (), trace: Sequence[str] = (), scores: Mapping[str, float] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = list(details)
        self.trace = list(trace)
        self.scores = dict(scores or {})


@dataclass(frozen=True)
class Check:
    """One check of a lab.

    Args:
        name: of the function.
        title: the requirement, one sentence.
        points: for passing it.
        function: raises :class:`Failed`; may return scores of a contest by their names.
        needs: names of its parameters, the objects that it is given.
        options: for these objects, such as the scenario of a run.
    """

    name: str
    title: str
    points: int
    function: Callable[..., Mapping[str, float] | None]
    needs: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_run(self) -> bool:
        """It measures, and so takes its time."""
        return not {"run", "contest", "measured_experiment"}.isdisjoint(self.needs)


def check(points: int = 1, **options: Any) -> Callable[[Checked], Checked]:
    """Makes a function one of the lab's checks, in the order of the file.

    Args:
        points: for passing it.
        options: ``scenario="run.toml"`` says what a ``run`` is.
    """

    def mark(function: Checked) -> Checked:
        title = " ".join((function.__doc__ or function.__name__).split())
        needs = tuple(inspect.signature(function).parameters)
        setattr(function, CHECK_MARK, Check(function.__name__, title, points, function, needs, options))
        return function

    return mark


def checks_in(module: object) -> list[Check]:
    """The checks of a loaded ``checks.py``, in its order."""
    return [getattr(one, CHECK_MARK) for one in vars(module).values() if hasattr(one, CHECK_MARK)]


def expect_equal(what: str, expected: object, got: object, hint: str = "") -> None:
    """Raise :class:`Failed` unless both are equal."""
    if expected != got:
        raise Failed(f"{what} is {got}, expected {expected}{f': {hint}' if hint else ''}")
