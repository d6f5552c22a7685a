"""Opens a prompt in a kernel of its own: from outside."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import UserError
from common.shown_path import shown
from engine.execute.growing_files_inside import GROWN
from engine.execute.growing_files_outside import write_grown
from engine.execute.host_windows import WINDOW
from engine.execute.virtual_runs import PROGRAM_PACKAGES
from engine.plan.data_plane import FOLDER
from engine.plan.machine_needs import memory_mb, patience_s
from engine.plan.module_files import environment_with_modules, module_files, own_source_files
from engine.plan.options import RunOptions
from engine.plan.prompt_job import PromptJob
from engine.plan.schemes import schemes_of
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.modules import CACHE_FOLDER, build_possible
from scenario.scenario import Scenario
from topo.toolchain import Toolchain
from virtual_time.console import Event
from virtual_time.file_system.userland import command_inside
from virtual_time.init import JOB, OUT
from virtual_time.job import Job, Outside
from virtual_time.places import INSIDE
from virtual_time.question import Answerer
from virtual_time.session import Session

PROMPT = "prompt.json"
BESIDE = "folder"
BESIDE_PACKAGES = "packages"
THRIFT_PACKAGE = "thriftpy2"
"""The package by which controllers speak Thrift (controller/bindings)."""

COMMANDS = (
    "iperf3",
    "iperf",
    "tcpdump",
    "traceroute",
    "arping",
    "curl",
    "nc",
    "nmap",
    "ethtool",
    "arp",
    "route",
    "socat",
    "netstat",
    "dig",
)
"""Commands that people type on hosts, as far as this machine has them."""

MOST_BYTES = 100_000_000
"""Of the files of a folder that goes with a prompt."""

LEFT_OUT = ("__pycache__", ".git", "node_modules", "results")


@dataclass(frozen=True)
class Beside:
    """Files that go with a prompt.

    Args:
        folder: in which hosts' commands begin.
        files: by their places; ``folder`` is one of them.
        packages: Python modules that hosts' programs may import, by their places in a folder for them.
    """

    folder: str
    files: Mapping[str, bytes | Path]
    packages: Mapping[str, Path] = field(default_factory=dict)


def run_virtual_prompt(
    scenario: Scenario,
    options: RunOptions,
    folder: Path,
    answer: Answerer,
    on_folder: Callable[[Path], None],
    beside: Beside | None = None,
    command_s: float | None = None,
    on_window: Callable[[Event], None] = lambda _event: None,
) -> int:
    """Bring the network up, and carry out one line after the other.

    Args:
        scenario: the network.
        options: how it is run.
        folder: for the files that it leaves.
        answer: gives the lines.
        on_folder: told of the folder by which Ctrl-C goes in.
        beside: files that go with it; None: none do.
        on_window: told of the output and end of programs in windows (engine/execute/host_windows.py).
        command_s: how long a host's command may take by the clock inside; None: as long as it likes.

    Returns:
        The prompt's exit code.

    Raises:
        UserError: something is missing, or the kernel ended early.
    """
    bmv2 = options.toolchain.bmv2
    programs = [Path(found) for name in COMMANDS if (found := shutil.which(name))]
    session = Session.prepare(
        kernel=options.request.kernel or scenario.run.kernel,
        commands=[bmv2] if bmv2 else [],
        programs=programs,
        packages=(*PROGRAM_PACKAGES, THRIFT_PACKAGE),
    )
    schemes = schemes_of(scenario)
    data_plane = options.data_planes.of(scenario)
    job = PromptJob.of(
        scenario,
        Toolchain(bmv2=bmv2 and command_inside(bmv2)),
        options.request,
        data_plane.plane.below(JOB / FOLDER),
        None if beside is None else JOB / BESIDE / beside.folder,
        watched=options.watched,
        command_s=command_s,
    )
    files: dict[str, bytes | Path] = {PROMPT: job.model_dump_json(indent=1).encode()}
    files |= {f"{FOLDER}/{name}": content for name, content in data_plane.files.items()}
    files |= dict(own_source_files())
    modules, missing = build_possible(schemes, KernelTree(session.kernel.objects), CACHE_FOLDER, jobs=session.side_by_side)
    for one in missing:
        print(f"{one.name} is left out: {one.reason}")
    files |= dict(module_files(modules.values()))
    if beside is not None:
        files |= {f"{BESIDE}/{name}": content for name, content in beside.files.items()}
        files |= {f"{BESIDE_PACKAGES}/{name}": file for name, file in beside.packages.items()}
    command = ["python3", "-m", "engine.execute.inside_prompt", str(JOB / PROMPT), str(OUT)]
    environment = environment_with_modules() | {"PYTHONPATH": f"{INSIDE}:{INSIDE}/controller/bindings:{JOB / BESIDE_PACKAGES}"}

    def tell(event: Event) -> None:
        if event["event"] == GROWN:
            write_grown(folder / str(event["file"]), event)
        elif event["event"] == WINDOW:
            on_window(event)

    outside = Outside(folder, tell, on_text=lambda line: print(line, flush=True), on_folder=on_folder, on_question=answer)
    return session.run(
        Job(command, scenario.seed, memory_mb(scenario), patience_s(scenario), files=files, environment=environment), outside
    )


def files_of(folder: Path) -> dict[str, Path]:
    """The files of a folder and those below it, by their places in it, without those that are hidden or made anew.

    Raises:
        UserError: they are too large to go with a prompt.
    """
    found = {file.relative_to(folder): file for file in sorted(folder.rglob("*")) if file.is_file()}
    kept = {str(name): file for name, file in found.items() if not any(part in LEFT_OUT or part.startswith(".") for part in name.parts)}
    size = sum(file.stat().st_size for file in kept.values())
    if size > MOST_BYTES:
        raise UserError(f"{shown(folder)} has {size / 1e6:.0f} MB of files; a prompt's folder may have {MOST_BYTES / 1e6:.0f}")
    return kept
