"""The first process of the emulated machine: runs one command of the testbed, hands its results out by a serial line, powers off."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
import termios
import tty

from testbed.emulated.job import JOB, RESULTS, STATUS, WORK
from virtual_time.init import SYSTEM, mount_all, power_off

CONSOLE, OUTPUT = "/dev/ttyS0", "/dev/ttyS1"


def main() -> None:
    """Run the job and power off, whatever happens."""
    try:
        mount_all(SYSTEM)
        os.setsid()
        console = os.open(CONSOLE, os.O_RDWR)  # the session's first terminal is the one that Ctrl-C comes from
        for number in range(3):
            os.dup2(console, number)
        _run(json.loads(JOB.read_text()))
    except BaseException as error:
        print(f"the emulated machine: {type(error).__name__}: {error}", flush=True)
    finally:
        power_off()


def _run(job: dict[str, object]) -> None:
    WORK.mkdir(exist_ok=True)
    words, environment = job["words"], job["environment"]
    assert isinstance(words, list)
    assert isinstance(environment, dict)
    os.environ.update(environment)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    status = subprocess.run(["python3", "-m", "nodectl_testbed", *words], cwd=WORK, check=False).returncode
    with open(OUTPUT, "wb", buffering=0) as line:  # noqa: PTH123 - a device
        tty.setraw(line.fileno(), termios.TCSANOW)
        _hand_out(io.BufferedWriter(line), status)
        termios.tcdrain(line.fileno())


def _hand_out(stream: io.BufferedWriter, status: int) -> None:
    with tarfile.open(fileobj=stream, mode="w|gz") as archive:
        if (WORK / RESULTS).exists():
            archive.add(WORK / RESULTS, RESULTS)
        text = str(status).encode()
        entry = tarfile.TarInfo(STATUS)
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    stream.flush()
