"""Makes a command's options of the fields of :class:`RunRequest`, so that an option is declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, get_args, get_type_hints

import typer

from scenario.run_request import RunRequest, Wish, wishes


def taking_a_request(command: str, *more: inspect.Parameter) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function of a request a command with the options of that request.

    Args:
        command: which fields it has.
        more: options that the function takes besides, which are no part of a request.
    """

    def made(function: Callable[..., None]) -> Callable[..., None]:
        known = {name: wish for name, wish in wishes().items() if command in wish.of}

        def call(**given: Any) -> None:
            request = RunRequest(**{name: given.pop(name) for name in known})
            function(request, **given)

        call.__doc__ = function.__doc__
        call.__signature__ = inspect.Signature([*(_parameter(name, wish) for name, wish in known.items()), *more])  # type: ignore[attr-defined]
        return call

    return made


def _parameter(name: str, wish: Wish) -> inspect.Parameter:
    hints = get_type_hints(RunRequest, include_extras=True)
    default = next(field.default for field in fields(RunRequest) if field.name == name)
    kind = get_args(hints[name])[0]
    declared: Any = (
        typer.Argument(help=wish.help)
        if wish.positional
        else typer.Option(f"--{name.replace('_', '-')}", help=wish.help, min=wish.least, max=wish.most)
    )
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, declared])
