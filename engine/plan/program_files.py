"""The files that a scenario with ordinary programs needs inside a user-mode kernel: the programs, and those the host service loads."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from common.errors import UserError
from common.installation import INSTALLED
from engine.plan.shell_commands import commands_in, possible_commands, shell_text, simple_commands, wrapped
from hosts.cca.libbpf import LIBRARY
from hosts.service.watch_object import OBJECT_VARIABLE, watch_object
from scenario.scenario import Scenario
from scenario.transmissions import FOLDER, Program
from virtual_time.file_system.programs_layer import interpreter_of, is_made_anew
from virtual_time.file_system.userland import COMMANDS, command_inside
from virtual_time.init import JOB

OBJECT = "connection_watch.o"
LIBRARY_FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
IN_FOLDER = f"${FOLDER}/"
PACKAGES = {
    "sshd": "openssh-server", "ssh": "openssh-client", "scp": "openssh-client", "nginx": "nginx-light", "node": "nodejs",
    "ab": "apache2-utils", "nc": "netcat-openbsd", "dig": "dnsutils", "go": "golang-go", "ping": "iputils-ping",
}  # fmt: skip
"""Packages by the programs they bring, where the names differ."""
PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def programs_of(scenarios: Iterable[Scenario]) -> list[Path]:
    """The programs that scenarios run, where they are on this machine: of commands, of texts for a shell, and those that these start.

    Raises:
        UserError: one is not installed; the message names all that are not.
    """
    needed: dict[str, str] = {}
    perhaps: dict[str, None] = {}
    for scenario in scenarios:
        for program in scenario.programs:
            for name in _needed(program, scenario.files):
                needed.setdefault(name, program.name)
            perhaps |= dict.fromkeys(_perhaps(program))
        for content in scenario.files.values():
            if isinstance(content, str) and content.startswith("#!"):
                perhaps |= dict.fromkeys(possible_commands(content.partition("\n")[2]))
    found = {name: _where(name) for name in needed if not _is_in_userland(name)}
    missing = [name for name, file in found.items() if file is None]
    if missing:
        said = "\n".join(f"program {needed[name]!r}: {name} is not installed on this machine" for name in missing)
        if INSTALLED is not None:
            said = said.replace("is not installed on this machine", "is not among the programs that were installed with the testbed")
            raise UserError(said, f"there are {', '.join(sorted(INSTALLED.programs))}; for others take a checkout on Debian")
        raise UserError(said, f"apt-get install --no-install-recommends {' '.join(map(_package_guess, missing))}")
    all_found = [*found.values(), *(_where(name) for name in perhaps if not _is_in_userland(name))]
    return list(dict.fromkeys(file for file in all_found if file is not None))


def as_inside(scenario: Scenario) -> Scenario:
    """The scenario with its programs where they are inside, of those that are given by a path which is another place there."""
    programs = [
        program.model_copy(update={"command": [str(place), *program.command[1:]]})
        if (place := _place_inside(program.command[0])) is not None
        else program
        for program in scenario.programs
    ]
    return scenario if programs == scenario.programs else scenario.model_copy(update={"programs": programs})


def _place_inside(name: str) -> Path | None:
    file = _where(name) if "/" in name and not name.startswith("$") else None
    if file is None or (name.startswith("/") and not is_made_anew(file)):
        return None
    return command_inside(file)


def _needed(program: Program, files: Mapping[str, str | int]) -> list[str]:
    """Names and paths without which a program cannot do its work.

    Raises:
        UserError: it is to be one of the scenario's files, which has no such file.
    """
    first = program.command[0]
    names = [first, *program.starts]
    if first.startswith(IN_FOLDER):
        name, text = first.removeprefix(IN_FOLDER), files.get(first.removeprefix(IN_FOLDER))
        if "$" in name:
            return program.starts
        if not isinstance(text, str):
            raise UserError(f"program {program.name!r}: there is no text {name!r} in [files], which {first} would be")
        interpreter = interpreter_of(Path(name), text.encode())
        return [*([str(interpreter)] if interpreter else []), *program.starts]
    text = shell_text(program.command)
    if text is not None:
        names += [one for one in commands_in(_without_dollars(text)) if "/" not in one]  # a path may be made by the text itself
    return names


def _perhaps(program: Program) -> list[str]:
    """Programs that it may start besides: carried where they are there, not missed where they are not."""
    text = shell_text(program.command)
    commands = [program.command, *(simple_commands(_without_dollars(text)) if text else [])]
    found = [one for one in possible_commands(_without_dollars(text or "")) if not one.startswith("$")]
    return [*found, *(name for words in commands for name in wrapped(words))]


def _without_dollars(text: str) -> str:
    """``$$`` stands for ``$`` in a scenario's command."""
    return text.replace("$$", "$")


def _where(name: str) -> Path | None:
    if INSTALLED is not None:  # the programs inside are those that came with it, whatever this machine has
        there = INSTALLED.programs.get(name)
        return None if there is None else Path(there)
    found = shutil.which(name, path=PROGRAMS)
    return None if found is None else Path(found).absolute()


def _is_in_userland(name: str) -> bool:
    return name.startswith("python3") or name == "sh" or name in COMMANDS


def _package_guess(name: str) -> str:
    return PACKAGES.get(Path(name).name, Path(name).name)


def libbpf() -> Path:
    """libbpf on this machine.

    Raises:
        UserError: it is not installed.
    """
    if INSTALLED is not None:
        return Path(LIBRARY_FOLDERS[0], LIBRARY)  # inside, where it is brought to
    for folder in LIBRARY_FOLDERS:
        if (file := Path(folder, LIBRARY)).exists():
            return file
    raise UserError(f"{LIBRARY} is not installed; the host service cannot watch connections", "apt-get install libbpf1")


def service_files() -> dict[str, bytes]:
    """The file that the host service loads, by its name among the files of a job.

    Raises:
        UserError: it cannot be compiled.
    """
    return {OBJECT: watch_object().read_bytes()}


def service_environment() -> dict[str, str]:
    """The variable that tells the host service inside where its compiled program is."""
    return {OBJECT_VARIABLE: str(JOB / OBJECT)}
