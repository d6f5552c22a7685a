"""Commands of ``simple_switch_CLI`` from files, run when a switch has its pipeline. A refused one is an error unless it may fail."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from common.errors import UserError
from controller.entries.place import Place
from controller.entries.written_commands import commands_from_file
from topo.data_plane import DataPlane
from topo.management import ManagementClient

REFUSED = re.compile(r"^(Error\b|Invalid\b|\*\*\* Unknown syntax|Bad input\b|Wrong\b|Unknown\b)", re.MULTILINE)
"""How the command line says that it has not done something."""

CLI = "simple_switch_CLI"
ANSWER_S = 30.0


def run_commands(data_plane: DataPlane, switches: ManagementClient) -> None:
    """Carry out all commands on the embedded switches.

    Raises:
        UserError: one is refused; the message names its line.
    """
    for name, place, line in _commands(data_plane):
        printed = str(switches.request("cli", switch=name, line=line)["printed"])
        _check(data_plane, name, place, line, printed)


def run_commands_of_bmv2(data_plane: DataPlane, command: Path, thrift_ports: dict[str, str]) -> None:
    """The commands that P4Runtime has no word for (controller/entries/commands.py), on BMv2, by its own command line.

    Args:
        data_plane: with the commands.
        command: of BMv2, beside which its command line is.
        thrift_ports: of each switch.

    Raises:
        UserError: one is refused, or there is no such command line.
    """
    cli = command.with_name(CLI)
    for name, place, line in _commands(data_plane):
        if not cli.exists() or not thrift_ports.get(name):
            wrong = place.wrong(f"{line}: P4Runtime has no such command, and BMv2 has not got {CLI} and Thrift here", "leave it out")
            if not data_plane.switches[name].commands_may_fail:
                raise wrong
            print(f"passed over: {wrong.what}", flush=True)
            continue
        run = [str(cli), "--thrift-port", thrift_ports[name]]
        try:
            done = subprocess.run(run, input=line + "\n", capture_output=True, text=True, check=False, timeout=ANSWER_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"{place}: {cli} does not work: {error}") from None
        _check(data_plane, name, place, line, done.stdout.replace("RuntimeCmd: ", "") + done.stderr)


def _commands(data_plane: DataPlane) -> list[tuple[str, Place, str]]:
    return [
        (name, place, line)
        for name, pipeline in data_plane.switches.items()
        if pipeline.commands is not None
        for place, line in commands_from_file(pipeline.commands)
    ]


def _check(data_plane: DataPlane, switch: str, place: Place, line: str, printed: str) -> None:
    if not REFUSED.search(printed):
        return
    wrong = place.wrong(f"{line}: {' '.join(printed.split())}")
    if not data_plane.switches[switch].commands_may_fail:
        raise wrong
    print(f"passed over: {wrong}", flush=True)
