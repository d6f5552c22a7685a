"""The places of a job's files in the emulated machine, and the names in the archive of its results: both machines use them."""

from __future__ import annotations

from pathlib import Path

JOB = Path("/job.json")
"""The testbed's words, and variables of its environment."""

WORK = Path("/work")
"""The folder that the command is called in."""

RESULTS = "results"
STATUS = "status"
"""In the archive: the command's exit code. It comes last, so an archive without it is not whole."""
