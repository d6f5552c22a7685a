"""``make readme-digits``: the table of ``make run`` in README.md, and the checksums below it, as they are now."""

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
SCENARIO = REPOSITORY / "scenario" / "examples" / "staggered.toml"
LEFT_OUT = "all"
"""A column of the run's table that README.md does without."""

TABLE = re.compile(r"^\| scheme \| A \(published\).*?(?=\n\n)", re.MULTILINE | re.DOTALL)
INPUTS = re.compile(r"kernel ([0-9a-f]{12}) and userland ([0-9a-f]{12})")
CHECKSUMS = re.compile(r"\(samples: ([^)]*)\)")


@dataclass(frozen=True)
class Digits:
    """What README.md says of a run.

    Args:
        table: in Markdown.
        inputs: "kernel … and userland …".
        samples: "SCHEME CHECKSUM, …".
    """

    table: str
    inputs: str
    samples: str

    @classmethod
    def in_readme(cls, text: str) -> Digits:
        """Those that the page has.

        Raises:
            UserError: it has none any more.
        """
        found = [pattern.search(text) for pattern in (TABLE, INPUTS, CHECKSUMS)]
        if None in found:
            raise UserError(
                f"{README}: the table of `make run`, its inputs or its checksums are not there", "restore that part of the page"
            )
        table, inputs, samples = (one for one in found if one is not None)
        return cls(table[0], inputs[0], " ".join(samples[1].split()))

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

    def put_into(self, text: str) -> str:
        """The page with these digits."""
        for pattern, digits in ((TABLE, self.table), (INPUTS, self.inputs), (CHECKSUMS, f"(samples: {self.samples})")):
            text = pattern.sub(lambda _found, digits=digits: digits, text, count=1)  # type: ignore[misc]
        return text


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
    """Writes README.md anew."""
    with TemporaryDirectory() as folder:
        digits = measured(Path(folder))
    old = README.read_text(encoding="utf-8")
    Digits.in_readme(old)
    new = digits.put_into(old)
    README.write_text(new, encoding="utf-8")
    print(f"{README}: {'as it was' if new == old else 'has the digits of now'}")
    return 0


if __name__ == "__main__":
    from common.command_end import end_with

    let_signals_interrupt()
    end_with(lambda: run_command(main))
