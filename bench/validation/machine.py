"""Runs two hosts in virtual time, and brings out their recordings."""

from __future__ import annotations

import io
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.modules_inside import LOADED, modules_inside
from bench.validation.inside import TwoHosts
from common.errors import UserError
from virtual_time.environment import inside_environment
from virtual_time.job import Job, Outside
from virtual_time.session import Session

HERE = Path(__file__).resolve().parent
JOB = "two-hosts.json"
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Written:
    """The recordings of the hosts.

    Attributes:
        arrivals: rows of time (ns), bytes of the frame, number (of a datagram).
        sent: when each datagram was handed to the kernel, ns; empty for connections.
    """

    arrivals: Numbers
    sent: Numbers


@cache
def session() -> Session:
    """The kernel and its file system; the same for all runs."""
    return Session.prepare()


def run(job: TwoHosts, plan: Numbers | None = None, *, seed: int = 1) -> Written:
    """Run two hosts in virtual time.

    Args:
        job: link, programs and duration.
        plan: gaps (ns) and sizes (UDP payload, bytes) of datagrams.
        seed: of the kernel.

    Raises:
        UserError: it did not end well; the message has the last words from inside.
    """
    files: dict[str, bytes | Path] = {JOB: job.model_dump_json().encode(), **modules_inside(HERE)}
    if plan is not None:
        stream = io.BytesIO()
        np.save(stream, plan)
        files["plan.npy"] = stream.getvalue()
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        status = session().run(
            Job(
                ["python3", "-m", "bench.validation.inside", f"/job/{JOB}", "/out"],
                seed,
                files=files,
                environment=inside_environment(PYTHONPATH=LOADED),
            ),
            Outside(out, on_text=said.append),
        )
        if status != 0:
            raise UserError("\n".join([f"the run ended with exit code {status}", *said[-12:]]))
        sent = out / "sent.npy"
        return Written(np.load(out / "arrivals.npy"), np.load(sent) if sent.exists() else np.zeros(0, dtype=np.int64))
