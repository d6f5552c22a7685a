"""Papers: folders of reports/papers with a ``paper.toml``, found by being there."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import Field, ValidationError, model_validator

from common.errors import UserError
from reports.claims.published import PAPERS
from reports.definition import Cause, Form, PublishedRows, Where
from scenario.base import Strict
from scenario.file import readable

if TYPE_CHECKING:
    from reports.document.blocks import Block
    from reports.results import Results

Section = Callable[[Mapping[str, "Results"], "Paper"], "list[Block]"]


class Deviation(Strict):
    """A place where this testbed deviates from the paper."""

    where: str
    """The place in the paper: a section, an algorithm's line."""
    paper: str
    here: str
    why: str = ""


class MainFigure(Strict):
    """A paper's part of the page over all papers: a value of each scheme at one point, and the figure that it belongs to."""

    experiment: str
    value: str
    label: str
    """With the unit, and where in the paper it is."""
    where: Where = Field(default={})
    """Values of so many of the grid's variables that one point is left."""
    over: str | None = None
    """One of the variables in ``where``: beside the value stand the lowest and the highest over all of the variable's values."""
    figure: str | None = None
    """The figure's name in the experiment's file; without, the line of the page has no picture."""
    form: Form = ".1f"
    published: PublishedRows | None = None
    """The paper's values: table and row."""

    @model_validator(mode="after")
    def _over_one_of_where(self) -> MainFigure:
        if self.over is not None and self.over not in self.where:
            raise ValueError(f"over: {self.over!r} is not among `where`")
        return self


class Paper(Strict):
    """The ``paper.toml`` of a paper or a study: its experiments, and the other parts of its report."""

    title: str
    citation: str
    is_published: bool = True
    """False: a study of our own, which ``PAPER=all`` leaves out."""
    experiments: list[str] = Field(min_length=1)
    """Names of scenario files of the folder, in the order of the report."""
    schemes: dict[str, str] = Field(default={})
    """The paper's names of schemes in its tables."""
    not_available: dict[str, str] = Field(default={})
    """Schemes that the paper compares and nobody can run here, with the reason: a column of their own in tables with a column a scheme."""
    has_maps: bool = False
    """Beside the report stands a page with maps of its values, which one clicks to the runs behind them (view/atlas)."""
    sections: list[str] = Field(default=[])
    """After the experiments: Markdown files of the folder, or modules of it with a function ``section``."""
    deviations: list[Deviation] = Field(default=[])
    main_figures: list[MainFigure] = Field(default=[])
    causes: dict[str, Cause] = Field(default={})
    """Causes that several claims share, by the names that their ``same_as`` gives."""

    folder: Path = Field(exclude=True)

    @property
    def name(self) -> str:
        """The name of its folder, by which ``PAPER=`` calls it."""
        return self.folder.name

    @property
    def experiment_files(self) -> list[Path]:
        """Their scenario files, in order."""
        return [self.folder / f"{experiment}.toml" for experiment in self.experiments]

    def section(self, name: str) -> Section:
        """The function ``section`` of a module in the paper's folder.

        Raises:
            ImportError: there is no such module.
        """
        return cast("Section", import_module(f"reports.papers.{self.name}.{name}").section)


def paper_names() -> list[str]:
    """The papers and studies whose experiments can be run."""
    return sorted(file.parent.name for file in PAPERS.glob("*/paper.toml"))


def published_papers() -> list[Paper]:
    """The papers that ``PAPER=all`` means.

    Raises:
        UserError: a paper.toml says something impossible.
    """
    return [paper for paper in map(read_paper, paper_names()) if paper.is_published]


def read_paper(name: str) -> Paper:
    """A paper by its name.

    Raises:
        UserError: there is none of that name, or its paper.toml says something impossible.
    """
    file = PAPERS / name / "paper.toml"
    offered = f"PAPER is one of: {', '.join(paper_names())}; or all"
    if name not in paper_names():
        if (PAPERS / name / "published.toml").exists():
            raise UserError(f"PAPER={name}: its published values are there, but no experiments yet", offered)
        raise UserError(f"PAPER={name} is not known", offered)
    try:
        paper = Paper.model_validate({**tomllib.loads(file.read_text(encoding="utf-8")), "folder": file.parent})
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file}: not valid TOML: {error}") from None
    except ValidationError as error:
        raise UserError("\n".join(readable(file, error, Paper))) from None
    wanted = [*paper.experiment_files, *(file.parent / section for section in paper.sections if section.endswith(".md"))]
    for number, one in enumerate(paper.main_figures):
        if one.experiment not in paper.experiments:
            raise UserError(f"{file}: main_figures.{number}: {one.experiment!r} is not among `experiments`")
    missing = [one for one in wanted if not one.exists()]
    if missing:
        raise UserError(f"{file}: there is no {missing[0].name} beside it")
    return paper
