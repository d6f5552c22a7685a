"""The controller as a process of its own, with the files that it is given."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.studies.controller_bed.fake_p4runtime import p4info_text
from bench.tools import PROJECT

PORT = 4
RTT_US = 20_000
LIMIT_S = 120.0


def ends(number: int) -> tuple[int, int]:
    """Addresses of a transmission's sender and receiver, by its number."""
    return 0x0A000000 + number, 0x0A800000 + number


class Setup:
    """Files for one controller, and how to start it."""

    def __init__(self, folder: Path, switches: dict[str, str], capacity_bps: int = 36_000_000) -> None:
        self.folder = folder
        self.network: dict[str, Any] = {
            "switches": [
                {
                    "name": name,
                    "device_id": 1,
                    "grpc_addr": address,
                    "ports": [{"port": PORT, "capacity_bps": capacity_bps, "peer": "s2"}],
                    "routes": [
                        {
                            "prefix": f"10.0.0.{host}/32",
                            "port": host,
                            "source_mac": "00:00:00:00:00:01",
                            "destination_mac": f"00:00:00:00:01:{host:02x}",
                        }
                        for host in (1, 2, 3)
                    ],
                }
                for name, address in switches.items()
            ],
            "labels": {"10.0.0.1>10.128.0.1": "A", "10.0.0.2>10.128.0.2": "B"},
        }
        self.p4info = folder / "nodectl.p4info.txtpb"
        self.p4info.write_text(p4info_text())
        self.pipeline = folder / "nodectl.json"
        self.pipeline.write_text('{"program": "nodectl"}')
        self.socket = folder / "status.sock"

    @asynccontextmanager
    async def controller(self, *options: str) -> AsyncIterator[Controller]:
        """The process, with more options; it is killed at the end of the block if it still runs."""
        (self.folder / "net.json").write_text(json.dumps(self.network))
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "controller",
            *("--network", str(self.folder / "net.json")),
            *("--p4info", str(self.p4info)),
            *("--pipeline", str(self.pipeline)),
            *("--status-socket", str(self.socket)),
            *options,
            cwd=PROJECT,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        controller = Controller(process, self.socket)
        try:
            yield controller
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


class Controller:
    """A controller's process and its status socket."""

    def __init__(self, process: asyncio.subprocess.Process, status: Path) -> None:
        self.process = process
        self.status = status

    async def ready(self) -> None:
        """Until it says that it is ready."""
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), LIMIT_S)
        assert line, await self.log()
        assert json.loads(line) == {"event": "ready"}

    async def ask(self, operation: object, **arguments: Any) -> dict[str, Any]:
        """One question at the status socket, and its answer."""
        reader, writer = await asyncio.open_unix_connection(self.status)
        writer.write(json.dumps({"op": operation, **arguments}).encode() + b"\n")
        answer = json.loads(await reader.readline())
        writer.close()
        assert isinstance(answer, dict)
        return answer

    async def shares(self) -> dict[str, int]:
        """Rates of the first switch's first port by name, bit/s."""
        shares = (await self.ask("ports"))["ports"][0]["shares"]
        return {share["name"]: share["rate_bps"] for share in shares}

    async def finish(self, number: int | None = None) -> int:
        """Send a signal, if any, and wait for the exit code."""
        if number is not None:
            self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), LIMIT_S)

    async def log(self) -> str:
        """All that it has written to standard error, up to its end."""
        assert self.process.stderr is not None
        return (await self.process.stderr.read()).decode()
