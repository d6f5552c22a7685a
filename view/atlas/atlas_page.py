"""Writes the atlas: one HTML file to look at anywhere, and its values as CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from common.whole_files import write_whole
from reports.experiment import ReportedExperiment
from reports.results import Results
from view.atlas.atlas_data import atlas_csv, atlas_data
from view.live import page_files
from view.single_page import single_page

PAGE = Path(__file__).resolve().parent / "page"
HTML, CSV = "atlas.html", "atlas.csv"
SHARED = ("format.js", "theme.js", "uPlot.js", "uPlot.css")
"""Files of the live page that this page has, too."""


def write_atlas(experiments: Sequence[ReportedExperiment], results: Mapping[str, Results], folder: Path, command: str) -> list[Path]:
    """Write the page and the CSV file.

    Args:
        experiments: in the order of the page.
        results: of each, by its name.
        folder: where they are written.
        command: that measures all; with ``CELL=`` it repeats one cell.

    Raises:
        UserError: the library of the charts is not installed.
    """
    own = {file.name: file.read_bytes() for file in sorted(PAGE.iterdir())}
    shared = {name: page_files.files()[name] for name in SHARED}
    modules = {f"live/{Path(name).stem}": text for name, text in shared.items() if name.endswith(".js")}
    modules |= {f"atlas/{Path(name).stem}": text for name, text in own.items() if name.endswith(".js")}
    styles = [text for name, text in {**shared, **own}.items() if name.endswith(".css")]
    data = json.dumps(atlas_data(experiments, results, command), separators=(",", ":"), allow_nan=False)
    page = single_page(own["index.html"].decode(), modules, styles, "atlas/main", data)
    write_whole(folder / HTML, page.encode())
    write_whole(folder / CSV, atlas_csv(experiments, results).encode())
    return [folder / HTML, folder / CSV]
