"""The keys of a scenario file for its report: metrics, tables, figures, bars, claims and so on; docs/reproduce.md shows them at work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from common.errors import UserError
from engine.metrics.measurements import Measurements, Metrics, checked
from scenario.base import Strict
from scenario.expressions import ExpressionError, evaluate
from scenario.file import Scalar, ScenarioFile, readable

Limit = float | str
"""A number, or an expression over the grid's variables."""
Where = Annotated[
    dict[str, Scalar],
    Field(description="a table of variables of the grid, each with one value", examples=[{"buffer_bdp": 4}]),
]
"""Only the points of the grid at which these variables have these values."""

Values = Annotated[
    dict[str, str],
    Field(
        min_length=1, description="a table of names for the rule, each with a value that cells have", examples=[{"rtt": "smoothed_rtt_ms"}]
    ),
]
Rule = Annotated[
    str, Field(description="an expression over NAME.SCHEME that is true or false, as a text", examples=["rtt.nodectl < rtt.reno"])
]
BOX_VALUES = 5
Form = Annotated[str, Field(pattern=r"^\.\d[fg]$", description="a dot, a digit, f or g, as a text", examples=[".2f"])]


class OverGrid(Strict):
    """A part that names variables of the grid."""

    @property
    def variables(self) -> set[str]:
        """The names of all variables of the grid that this part mentions; ``scheme`` is none."""
        listed = (getattr(self, key, None) or () for key in ("rows", "where", "labels", "per", "above", "below", "x"))
        return {name for names in listed for name in ([names] if isinstance(names, str) else names)} - {"scheme"}


class ShownValue(Strict):
    """A value in a table; in a file, its bare name will do."""

    value: str
    label: str = ""
    form: Form | None = None
    published: str | None = None
    """Its row of the table's published values."""
    scheme: str | None = None
    """In ``more_columns``: the scheme whose value it is."""

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"value": value} if isinstance(value, str) else value


class PublishedRows(Strict):
    """Which published values stand below the measured ones."""

    table: str
    """A table of the paper's published.toml."""
    row: str = ""
    """Its row, with the grid's variables or ``transmission`` in braces: ``{delay_ms}ms``; without, the table is the row."""
    columns: dict[str, str] = Field(default={})
    """Its names of schemes, where they are not the paper's usual ones."""


class GivenRow(Strict):
    """A row that nobody measured, e.g. what an ideal allocation gives."""

    label: str
    cells: list[str]


class TableDefinition(OverGrid):
    """Rows of measured values, a column for each scheme (or for each value), the published row below those it belongs to."""

    caption: str
    values: list[ShownValue] = Field(min_length=1)
    each: Literal["transmission"] | None = None
    """Every value is one of each transmission: ``VALUE.NAME``."""
    rows: list[str] = Field(default=[])
    """Variables of the grid; a row for each combination that was measured. With `columns = "value"` also `scheme`: rows of its own."""
    columns: Literal["scheme", "value"] = "scheme"
    where: Where = Field(default={})
    labels: dict[str, str | dict[str, str]] = Field(default={})
    """How a variable is shown: ``{} ms``, or a text for each of its values."""
    head: str = ""
    names: dict[str, str] = Field(default={})
    """Names of schemes, where they are not those of the paper."""
    form: Form = ".1f"
    published: PublishedRows | None = None
    more_columns: list[ShownValue] = Field(default=[])
    given_rows: list[GivenRow] = Field(default=[])

    @property
    def row_a_scheme(self) -> bool:
        """Whether each scheme has rows of its own."""
        return "scheme" in self.rows

    @model_validator(mode="after")
    def _schemes_have_one_place(self) -> TableDefinition:
        if self.row_a_scheme and self.columns == "scheme":
            raise ValueError('rows: `scheme` needs columns = "value": else each scheme has a column')
        return self

    @model_validator(mode="before")
    @classmethod
    def _one_value(cls, value: Any) -> Any:
        if isinstance(value, dict) and "value" in value:
            if "values" in value:
                raise ValueError("it has both `value` and `values`")
            return {key: part for key, part in value.items() if key != "value"} | {"values": [value["value"]]}
        return value

    @model_validator(mode="after")
    def _published_row_is_one(self) -> TableDefinition:
        named = {name for _, name, _, _ in Formatter().parse(self.published.row if self.published else "") if name}
        for name in sorted(named - {*self.rows, "transmission"}):
            raise ValueError(f"published.row: {name!r} is not among `rows`")
        return self


class PanelDefinition(OverGrid):
    """Axes of a figure: values over a variable of the grid, series over time, or boxes side by side."""

    title: str = ""
    x: str | None = None
    y: str | list[ShownValue] | None = None
    """A value, or several: a curve of each scheme and each of them; ``*`` stands for any transmission, as in ``mean_mbps.*``."""
    series: list[str] = Field(default=[])
    """Over time: names of ``engine.metrics.series``, with ``*`` for any transmission."""
    boxes: list[str] = Field(default=[])
    """Five values: lower whisker, first quartile, median, third quartile, upper whisker; with ``x``, a group for each of its values."""
    per: str | None = None
    """A panel for each value of a variable, or for each ``scheme``."""
    where: Where = Field(default={})
    typical: str | None = None
    """Over time: the repetition that is drawn is the one whose value is nearest the mean."""
    labels: dict[str, str | dict[str, str]] = Field(default={})
    x_label: str = "time, s"
    y_label: str = ""
    x_scale: float = 1.0
    level: Limit | None = None
    logarithmic_x: bool = False
    from_zero: bool = True

    @property
    def values(self) -> list[ShownValue]:
        """The values that ``y`` names, none if it names none."""
        return [ShownValue(value=self.y)] if isinstance(self.y, str) else list(self.y or [])

    @model_validator(mode="after")
    def _either(self) -> PanelDefinition:
        if sum(map(bool, (self.series, self.x and self.y, self.boxes))) != 1:
            raise ValueError("a panel has either x and y, or series, or boxes")
        if self.boxes and len(self.boxes) != BOX_VALUES:
            raise ValueError(f"boxes: it names {len(self.boxes)} values; a box is made of {BOX_VALUES}")
        return self


class FigureDefinition(Strict):
    """A picture: panels row by row, or the network that the scenario describes."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_-]+$", description="small letters, digits, - and _, as a text", examples=["throughput"])]
    caption: str
    columns: int = Field(default=2, ge=1, le=6)
    panels: list[PanelDefinition] = Field(default=[])
    topology: bool = False
    names: dict[str, str] = Field(default={})

    @model_validator(mode="after")
    def _shows_something(self) -> FigureDefinition:
        if bool(self.panels) == self.topology:
            raise ValueError("a figure has either panels, or topology = true")
        return self


class Bar(OverGrid):
    """A limit that a scheme's value has to reach, at each point or over several."""

    scheme: str
    value: str
    label: str = ""
    where: Where = Field(default={})
    per: list[str] | None = None
    """Judged for each combination of these variables; without, of all that vary."""
    at_least: Limit | None = None
    at_most: Limit | None = None
    statistic: Literal["mean", "lowest", "highest"] = "mean"
    unit: str = ""
    form: Form = ".4g"
    because: str = ""
    """Why this limit; with variables and values in braces."""

    @model_validator(mode="after")
    def _one_limit(self) -> Bar:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("a bar has either at_least or at_most")
        return self


class Ratio(OverGrid):
    """A value over itself, in percent: at another point, of the same scheme; or of another scheme, at the same point.

    All other variables, and the repetition, are alike.
    """

    name: str
    value: str
    above: dict[str, Scalar] = Field(default={})
    below: dict[str, Scalar] = Field(default={})
    over: str | None = None
    """The scheme in the denominator; without, ``above`` and ``below`` name two points."""
    where: Where = Field(default={})

    @model_validator(mode="after")
    def _over_one_thing(self) -> Ratio:
        if self.over is None and not (self.above and self.below):
            raise ValueError("a ratio has either above and below, or over")
        if self.over is not None and (self.above or self.below):
            raise ValueError("a ratio has either above and below, or over, not both")
        return self


class Cause(OverGrid):
    """A reason why results differ from a claim, and a rule that has to hold at every point if the reason is true.

    A report calls it shown only if ``takes_away`` is true: then the rule is about runs without the cause, and says that the effect is gone.
    """

    text: str = Field(examples=["the queue is full all the time"])
    values: Values
    """Names in the rule, and the values they stand for, as in a claim."""
    rule: Rule
    experiment: str = ""
    """Another experiment of the same paper that shows it; empty: the claim's own."""
    takes_away: bool = False
    """The runs that the rule is about are those of the claim without the cause."""
    where: Where = Field(default={})
    per: list[str] | None = None


class SharedCause(Strict):
    """A cause that several claims of a paper have."""

    same_as: str
    """Its name among the paper's ``causes``."""


class Claim(OverGrid):
    """The words of the paper, and a rule that says whether the means measured here agree."""

    text: str = Field(examples=["A larger buffer only makes the delay longer."])
    source: str = Field(description="where the paper says so, as a text", examples=["section 4.2"])
    values: Values
    """Names in the rule, and the values they stand for: ``total = "total_mbps"`` makes ``total.bbr`` the mean of bbr."""
    rule: Rule
    weaker: str | None = None
    """A rule that says less, e.g. the paper's direction without its size: where it alone holds, the result differs from the claim."""
    causes: list[Cause | SharedCause] = Field(default=[])
    """Why results differ here; a report says so unless the claim is confirmed at all points."""
    true_for: list[dict[str, Any]] = Field(
        default=[], description="a list of points, each with values by scheme", examples=[[{"rtt": {"nodectl": 20, "reno": 90}}]]
    )
    """Made-up points at which the claim's words are true: values by scheme under the names of ``values``, and variables of the grid."""
    false_for: list[dict[str, Any]] = Field(
        default=[], description="a list of points, each with values by scheme", examples=[[{"rtt": {"nodectl": 90, "reno": 20}}]]
    )
    """Counterexamples: made-up points at which the words are false, so that neither the rule nor its weaker form may hold."""
    headline: bool = False
    """The paper is known for it; such claims come first on the page over all papers."""
    repeats: str = ""
    """The text of the claim, in the same paper, that this one makes again; both count once."""
    slow: bool = False
    """It is about an effect that takes longer than the runs of a quick look, e.g. convergence: a quick look does not judge it."""
    where: Where = Field(default={})
    per: list[str] | None = None
    form: Form = ".4g"

    @model_validator(mode="after")
    def _examples_are_told_apart(self) -> Claim:
        for number, point in enumerate(self.true_for):
            if not self._holds(self.rule, point):
                raise ValueError(f"true_for.{number}: the rule does not hold there: {self.rule}")
        for number, point in enumerate(self.false_for):
            for rule in [self.rule, *([self.weaker] if self.weaker else [])]:
                if self._holds(rule, point):
                    raise ValueError(f"false_for.{number}: the words are false there, and the rule holds: {rule}")
        return self

    def _holds(self, rule: str, point: Mapping[str, Any]) -> bool:
        unknown = {name for name, value in point.items() if isinstance(value, dict)} - self.values.keys()
        if unknown:
            raise ValueError(f"an example has values of {', '.join(sorted(unknown))}; the rule's are {', '.join(self.values)}")
        try:
            return bool(evaluate(rule, {**self.where, **point}))
        except ExpressionError as error:
            raise ValueError(f"an example does not have what the rule names: {error}") from None


class Comparison(OverGrid):
    """A value by which the sentence below a figure compares a scheme with others at the same points."""

    value: str
    label: str
    """The name of the value in the sentence, with its unit."""
    form: Form = ".3g"
    scheme: str = "nodectl"
    against: list[str] = Field(default=[])
    """The schemes that it is compared with; none: all others."""
    where: Where = Field(default={})
    figures: list[str] = Field(default=[])
    """Names of the figures that have it; without, all."""


class CellMark(OverGrid):
    """A sign behind values of another kind than those beside them: scaled, or of a scheme that is told what others have to find."""

    sign: Annotated[str, Field(pattern=r"^[*†‡§¶]$", description="one of *, †, ‡, § and ¶, as a text", examples=["†"])]
    text: str = Field(examples=["scaled from 1244 Mbit/s"])
    """The meaning of the sign, which stands below the table."""
    where: Where = Field(default={})
    schemes: list[str] = Field(default=[])
    """The schemes whose values have it; none: all."""


class Notes(Strict):
    """Markdown above the tables and below; in a file, a bare text is above."""

    above: str = ""
    below: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {"above": value} if isinstance(value, str) else value


class ReportDefinition(Strict):
    """The keys of a scenario file that describe its report."""

    metrics: Metrics = Field(
        default={},
        description="a table of names, each with a table of `metric` and its parameters",
        examples=[{"late_mbps": {"metric": "mean_mbps", "of": "A", "from_s": 10}}],
    )
    curves: list[str] = Field(default=[], description="a list of names of series", examples=[["throughput.*", "rtt.*"]])
    """Series that the first repetition's record has as 100 means each, though no figure draws them."""
    tables: list[TableDefinition] = Field(default=[])
    figures: list[FigureDefinition] = Field(default=[])
    bars: list[Bar] = Field(default=[])
    ratios: list[Ratio] = Field(default=[])
    claims: list[Claim] = Field(default=[])
    comparisons: list[Comparison] = Field(default=[])
    marks: list[CellMark] = Field(default=[])
    notes: Notes = Notes()

    @field_validator("metrics")
    @classmethod
    def _metrics_exist(cls, metrics: Metrics) -> Metrics:
        return checked(metrics)

    @model_validator(mode="after")
    def _compared_figures_exist(self) -> ReportDefinition:
        known = [figure.name for figure in self.figures]
        for name in (name for comparison in self.comparisons for name in comparison.figures if name not in known):
            raise ValueError(f"comparisons: there is no figure {name!r}; there are {', '.join(known) or 'none'}")
        return self

    @property
    def measurements(self) -> Measurements:
        """The measurements that it needs: its metrics, and the series that its figures draw over time."""
        series = dict.fromkeys(name for figure in self.figures for panel in figure.panels for name in panel.series)
        return Measurements(metrics=self.metrics, series=list(series), curves=self.curves)

    @property
    def labels(self) -> Mapping[str, str | dict[str, str]]:
        """How the tables show variables, for bars and claims."""
        return {name: label for table in reversed(self.tables) for name, label in table.labels.items()}


def read_definition(file: ScenarioFile) -> ReportDefinition:
    """The definition of a report, from its scenario file.

    Raises:
        UserError: a key is unknown or impossible, or names a variable that the grid does not have; the message names file and key.
    """
    try:
        definition = ReportDefinition.model_validate(file.report)
    except ValidationError as error:
        raise UserError("\n".join(readable(file.path, error, ReportDefinition))) from None
    known = {name for part in file.grid for name in part}
    parts: dict[str, Sequence[OverGrid]] = {
        "tables": definition.tables,
        "figures": [panel for figure in definition.figures for panel in figure.panels],
        "bars": definition.bars,
        "ratios": definition.ratios,
        "claims": definition.claims,
        "comparisons": definition.comparisons,
        "marks": definition.marks,
    }
    for key, number, name in (
        (key, n, name) for key, listed in parts.items() for n, part in enumerate(listed) for name in sorted(part.variables)
    ):
        if name not in known:
            raise UserError(
                f"{file.path}: table [[{key}]] {number + 1}: the grid has no variable {name!r}",
                f"it has: {', '.join(sorted(known)) or 'none'}; for example: grid = {{ {name} = [1, 2] }}",
            )
    return definition
