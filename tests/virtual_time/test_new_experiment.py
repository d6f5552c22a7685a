"""The worked examples of docs/new-experiment.md, taken out of the page: each file is saved where the page says, each command is run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from engine.collect.record import CellRecord
from reports.results import Results
from tests.harness.long_tests import only_long
from tests.harness.pages import Page
from tests.virtual_time.checkout_copy import PROJECT, copy_of_checkout
from tests.virtual_time.inside import needs_virtual_time

pytestmark = [needs_virtual_time, pytest.mark.timeout(900)]

PAGE = Page("new-experiment.md")
MAKE = '#!/bin/sh\nexec /usr/bin/make -o ready -o check-run "$@"\n'
"""Everything is built already."""


class Checkout:
    """A copy of the checkout in which the page is followed."""

    def __init__(self, folder: Path) -> None:
        self.folder = copy_of_checkout(folder, [PROJECT / "Makefile", PROJECT / "switch" / "Cargo.toml"])
        (folder / ".venv").symlink_to(PROJECT / ".venv")
        shim = folder / "programs" / "make"
        shim.parent.mkdir()
        shim.write_text(MAKE)
        shim.chmod(0o755)

    def follow(self, section: str) -> str:
        """Do what a section of the page says; returns what its commands said."""
        self.save(section)
        said = [self._run(block.text) for block in PAGE.blocks("sh", section=section)]
        assert said, "the section has a command"
        return "\n".join(said)

    def save(self, section: str) -> None:
        """Save the files of a section of the page where it says."""
        for block in PAGE.blocks(section=section):
            if block.file:
                file = self.folder / block.file
                file.parent.mkdir(exist_ok=True)
                file.write_text(block.text)

    def _run(self, commands: str) -> str:
        environment = {"PATH": f"{self.folder / 'programs'}:{os.environ['PATH']}", "HOME": str(self.folder), "TIME": "virtual"}
        done = subprocess.run(
            ["bash", "-euc", commands], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def latest(self) -> Results:
        """The results of the last `make run`."""
        files = sorted((self.folder / "results" / "latest").glob("cells/**/*.json"))
        return Results(CellRecord.model_validate_json(file.read_bytes()) for file in files)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("new") / "checkout")


@only_long
def test_a_new_figure(checkout: Checkout) -> None:
    said = checkout.follow("A new figure")
    assert "4 cells to measure" in said
    folder = checkout.folder / "results" / "reproduce"
    report = (folder / "example" / "report.md").read_text()
    assert "What nodectl changes against reno: mean smoothed RTT, ms: " in report
    for suffix in ("png", "svg", "csv"):
        assert (folder / "example" / f"buffers-buffer.{suffix}").stat().st_size > 100
    page = (folder / "overview.md").read_text()
    assert "[example](example/report.md) | 4 of 4 |" in page
    assert "example: mean smoothed RTT with 4 BDP, ms" in page
    assert "Not measured: " in page


@only_long
def test_a_new_kind_of_topology(checkout: Checkout) -> None:
    checkout.follow("A new kind of topology")
    found = checkout.latest()
    for name in ("whole", "part1", "part2"):
        got, fair = (found.mean(f"{value}.{name}", "nodectl") for value in ("mean_mbps", "fair_mbps"))
        assert got == pytest.approx(fair, rel=0.05)
    assert found.mean("fair_mbps.whole", "nodectl") == pytest.approx(6 * 1448 / 1514, rel=0.01), "half of each link"


@only_long
def test_a_new_scheme(checkout: Checkout) -> None:
    checkout.save("A new kind of topology")
    checkout.follow("A new scheme")
    found = checkout.latest()
    assert sorted(found.schemes()) == ["gentle", "gentle(keep=0.5)"]
    for scheme in found.schemes():
        assert (found.mean("total_mbps", scheme) or 0) > 6
        assert found.select(scheme)[0].facts[f"congestion_control.{scheme}"] == "module", "this testbed's own, not the kernel's"
