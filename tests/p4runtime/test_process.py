"""simple_switch_grpc as a process: TLS with and without client certificates, a taken address."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from tests.harness.free_port import free_port
from tests.harness.waiting import LIMIT_S
from tests.p4runtime.client import Client
from tests.p4runtime.conftest import binary, wait_until_listening


def command(port: int, *options: str) -> list[str]:
    return [str(binary("simple_switch_grpc")), "--no-p4", "--device-id", "1", "--", "--grpc-server-addr", f"127.0.0.1:{port}", *options]


@contextmanager
def running(port: int, *options: str) -> Iterator[None]:
    """A switch, until the block ends."""
    process = subprocess.Popen(command(port, *options), stdout=subprocess.DEVNULL)
    try:
        wait_until_listening(process, port)
        yield
    finally:
        process.terminate()
        assert process.wait(timeout=LIMIT_S) == 0


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority (ca), and a server and a client signed by it."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new = ("req", "-newkey", "rsa:2048", "-nodes")
    openssl(*new, "-x509", "-days", "2", "-subj", "/CN=test authority", "-keyout", "ca.key", "-out", "ca.pem")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    for name in ("server", "client"):
        openssl(*new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        sign = ("x509", "-req", "-days", "2", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names")
        openssl(*sign, "-in", f"{name}.csr", "-out", f"{name}.pem")
    return folder


def credentials(folder: Path, *, client: bool) -> grpc.ChannelCredentials:
    authority = (folder / "ca.pem").read_bytes()
    if not client:
        return grpc.ssl_channel_credentials(authority)
    return grpc.ssl_channel_credentials(authority, (folder / "client.key").read_bytes(), (folder / "client.pem").read_bytes())


def options(folder: Path) -> list[str]:
    return ["--grpc-server-ssl", "--grpc-server-cert", str(folder / "server.pem"), "--grpc-server-key", str(folder / "server.key")]


def test_tls(certificates: Path) -> None:
    port = free_port()
    with running(port, *options(certificates)):
        with Client(f"127.0.0.1:{port}", 1, credentials=credentials(certificates, client=False)) as client:
            assert client.arbitrate() == grpc.StatusCode.OK
        with Client(f"127.0.0.1:{port}", 1) as plain, pytest.raises(grpc.RpcError):
            plain.get_pipeline()


def test_client_certificates(certificates: Path) -> None:
    port = free_port()
    mutual = [*options(certificates), "--grpc-server-cacert", str(certificates / "ca.pem"), "--grpc-server-with-client-auth"]
    with running(port, *mutual):
        with Client(f"127.0.0.1:{port}", 1, credentials=credentials(certificates, client=True)) as client:
            assert client.arbitrate() == grpc.StatusCode.OK
        with (
            Client(f"127.0.0.1:{port}", 1, credentials=credentials(certificates, client=False)) as nobody,
            pytest.raises(grpc.RpcError),
        ):
            nobody.get_pipeline()


def test_problems_are_one_clear_line(certificates: Path) -> None:
    port = free_port()
    with running(port):
        taken = subprocess.run(command(port), capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert taken.returncode != 0
    assert f"127.0.0.1:{port} is taken" in taken.stderr
    missing = [*options(certificates)]
    missing[2] = "/nowhere/server.pem"
    unreadable = subprocess.run(command(port, *missing), capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert unreadable.returncode != 0
    assert "/nowhere/server.pem" in unreadable.stderr
    swapped = [*options(certificates)]
    swapped[2], swapped[4] = swapped[4], swapped[2]
    useless = subprocess.run(command(port, *swapped), capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert useless.returncode != 0
    assert "TLS" in useless.stderr
