"""A run as one HTML file, to look at anywhere and to hand in."""

from __future__ import annotations

from pathlib import Path

from common.write_errors import cannot_write
from view.live.page_files import single_file
from view.recording.cell_recording import as_json
from view.recording.run_recording import RunRecording


def exported(folder: Path) -> str:
    """The HTML of a run's folder, as far as the run is.

    Raises:
        UserError: it is no run's folder, or a damaged one, or one of another version.
    """
    recording = RunRecording(folder)
    messages = [as_json({"t": "header", **recording.header()})]
    # Twice: a packet's trace is over when nothing more is found of it.
    messages += [as_json(message) for _ in range(2) for message in recording.advance()]
    return single_file([*messages, as_json({"t": "end"})])


def export(folder: Path, out: Path | None) -> Path:
    """Write it; returns the file.

    Args:
        folder: of the run.
        out: the file; None: ``run.html`` in the run's folder.

    Raises:
        UserError: as above, or it cannot be written.
    """
    file = out or folder / "run.html"
    text = exported(folder)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(error) from None
    return file
