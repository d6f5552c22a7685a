"""Makes a command's options of the fields of :class:`RunRequest`, so that an option is declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

import typer

from scenario.run_request import RunRequest, Wish, wishes


def taking_a_request(command: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function of a request a command with the options of that request, besides those that are the command's own.

    Args:
        command: which fields it has.
    """

    def made(function: Callable[..., None]) -> Callable[..., None]:
        wanted = {name: wish for name, wish in wishes().items() if command in wish.of}

        def call(**given: Any) -> None:
            request = RunRequest(**{name: given.pop(name) for name in wanted})
            function(request, **given)

        call.__doc__ = function.__doc__
        hints = get_type_hints(RunRequest, include_extras=True)
        options = [_parameter(command, name, wish, get_args(hints[name])[0]) for name, wish in wanted.items()]
        _, *own = inspect.signature(function, eval_str=True).parameters.values()
        call.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
        return call

    return made


def _parameter(command: str, name: str, wish: Wish, kind: Any) -> inspect.Parameter:
    declared: Any = (
        typer.Argument(help=wish.help)
        if command in wish.positional
        else typer.Option(f"--{name.replace('_', '-')}", help=wish.help, min=wish.least, max=wish.most)
    )
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(RunRequest, name), annotation=Annotated[kind, declared])
