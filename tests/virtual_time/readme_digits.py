"""``make readme-digits``: the table of ``make run`` in README.md, and its checksums in docs/timing.md, as they are now."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from common.command_line import let_signals_interrupt, run_command
from common.errors import UserError
from engine.collect.record import SAMPLES, CellRecord, inputs_without_cells
from engine.collect.store import ResultStore
from engine.execute.runner import Runner
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from reports.results import Results
from reports.summary.table import summary_tables
from scenario.run_request import RunRequest
from tests.harness.switches import REPOSITORY

README = REPOSITORY / "README.md"
CHECKSUM_PAGE = REPOSITORY / "docs" / "timing.md"
SCENARIO = REPOSITORY / "scenario" / "examples" / "staggered.toml"
LEFT_OUT = "all"
"""A column of the run's table that README.md does without."""

TABLE = re.compile(r"^\| scheme \| A \(published\).*?(?=\n\n)", re.MULTILINE | re.DOTALL)
INPUTS = re.compile(r"kernel\s+([0-9a-f]{12})\s+and\s+userland\s+([0-9a-f]{12})")
CHECKSUMS = re.compile(r"\(samples:\s+([^)]*)\)")


@dataclass(frozen=True)
class Pages:
    """The texts of the pages that show a run's digits.

    Args:
        readme: has the table.
        checksums: has the checksums of the inputs and samples.
    """

    readme: str
    checksums: str

    @classmethod
    def read(cls) -> Pages:
        """Those of the checkout."""
        return cls(README.read_text(encoding="utf-8"), CHECKSUM_PAGE.read_text(encoding="utf-8"))

    def write(self) -> None:
        """Put them into the checkout."""
        README.write_text(self.readme, encoding="utf-8")
        CHECKSUM_PAGE.write_text(self.checksums, encoding="utf-8")


@dataclass(frozen=True)
class Digits:
    """The parts of the pages that come from a run.

    Args:
        table: in Markdown.
        inputs: "kernel … and userland …".
        samples: "SCHEME CHECKSUM, …".
    """

    table: str
    inputs: str
    samples: str

    @classmethod
    def in_pages(cls, pages: Pages) -> Digits:
        """Those that the pages have.

        Raises:
            UserError: one of them is missing.
        """
        table, inputs, samples = TABLE.search(pages.readme), INPUTS.search(pages.checksums), CHECKSUMS.search(pages.checksums)
        if table is None:
            raise UserError(f"{README} lacks the table of `make run`", "restore that part of the page")
        if inputs is None or samples is None:
            raise UserError(f"{CHECKSUM_PAGE} lacks the checksums of `make run`", "restore that part of the page")
        return cls(table[0], " ".join(inputs[0].split()), " ".join(samples[1].split()))

    @classmethod
    def of(cls, experiment: ReportedExperiment, records: list[CellRecord]) -> Digits:
        """Those of a run."""
        (table,) = summary_tables(experiment, Results(records))
        kept = [position for position, name in enumerate(table.header) if name != LEFT_OUT]
        names = [transmission.name for transmission in experiment.scenarios[0][1].transmissions]
        header = [f"{name} (published)" if name in names else name for name in table.header]
        rows = [header, ["---"] * len(header), *(row for row in table.rows if row[0] in experiment.schemes)]
        lines = ["| " + " | ".join(row[position] for position in kept) + " |" for row in rows]
        (inputs,) = inputs_without_cells(records)
        said = dict(re.findall(r"(\w+) ([0-9a-f]{12})", inputs))
        return cls(
            "\n".join(lines).replace("| --- ", "|---").replace("--- |", "---|"),
            f"kernel {said['kernel']} and userland {said['userland']}",
            ", ".join(f"{record.scheme} {record.facts[SAMPLES]}" for record in records),
        )

    def put_into(self, pages: Pages) -> Pages:
        """The pages with these digits; the lines of the checksums stay as they are if nothing changes."""
        old = Digits.in_pages(pages)
        checksums = pages.checksums
        if self.inputs != old.inputs:
            checksums = INPUTS.sub(lambda _found: self.inputs, checksums, count=1)
        if self.samples != old.samples:
            lines = self.samples.replace(", ", ",\n")  # one a line, since a page's lines are short
            checksums = CHECKSUMS.sub(lambda _found: f"(samples: {lines})", checksums, count=1)
        return Pages(TABLE.sub(lambda _found: self.table, pages.readme, count=1), checksums)


def measured(folder: Path) -> Digits:
    """The digits of a run in virtual time, of which ``folder`` keeps the results.

    Raises:
        UserError: a scheme has no result.
    """
    experiment = ReportedExperiment.read(SCENARIO)
    store = ResultStore(folder)
    Runner(store, RunOptions(RunRequest(), Console(stderr=True), virtual=True)).run([experiment])
    records = store.records(experiment.cells())
    failed = [str(one.failure) for one in records if not one.is_result]
    if failed:
        raise UserError("\n".join(failed))
    return Digits.of(experiment, records)


def main() -> int:
    """Writes the pages anew."""
    with TemporaryDirectory() as folder:
        digits = measured(Path(folder))
    old = Pages.read()
    new = digits.put_into(old)
    new.write()
    print(f"{README}, {CHECKSUM_PAGE}: {'unchanged' if new == old else 'now have the digits of this run'}")
    return 0


if __name__ == "__main__":
    from common.command_end import end_with

    let_signals_interrupt()
    end_with(lambda: run_command(main))
