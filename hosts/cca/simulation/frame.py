"""A scheme's C file and the kernel's frame around it, compiled for user space and callable."""

from __future__ import annotations

import ctypes
import functools
import re
import subprocess
import tempfile
from enum import StrEnum
from pathlib import Path

from common.errors import UserError
from hosts.cca.compilers import c_compiler
from hosts.cca.module_source import definitions
from hosts.cca.scheme_names import Scheme, parse_scheme, socket_name
from hosts.cca.sources import SOURCE_FOLDER

HERE = Path(__file__).resolve().parent
FLAGS = (
    "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unknown-pragmas", "-Wno-unused-parameter",
    "-Wno-unknown-attributes", "-fno-sanitize=all", "-shared", "-fPIC", "-fno-builtin", "-Wl,-Bsymbolic",
)  # fmt: skip
RENO = '#include "scheme.h"\n' + (SOURCE_FOLDER / "template.c").read_text().replace("mycca", "reno").partition('#include "scheme.h"')[2]
"""The template, which is standard TCP: the contrast to every other scheme, without the kernel."""

STAND_IN = [f"-I{HERE / 'stand_in'}"]
MODULE_FRAME = SOURCE_FOLDER / "module_frame"
_KERNEL_HEADER = re.compile(r"^#include <((?!bpf/)[\w/]+\.h)>", re.MULTILINE)


class Kind(StrEnum):
    """Which of the two frames of hosts/cca a scheme is compiled in."""

    BPF = "BPF"
    MODULE = "module"


OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)
"""The kernel's states of loss recovery (TCP_CA_…)."""


@functools.cache
def _work_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="cca-simulation-")


@functools.cache
def _kernel_headers() -> Path:
    """A folder in which each of the kernel's headers is kernel_headers.h."""
    folder = Path(_work_folder().name) / "kernel_headers"
    for header in (*MODULE_FRAME.rglob("*.h"), *SOURCE_FOLDER.glob("*.h")):
        for name in _KERNEL_HEADER.findall(header.read_text(encoding="utf-8")):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'#include "{HERE / "kernel_headers.h"}"\n')
    return folder


def _source_of(name: str) -> Path:
    if name != "reno":
        return SOURCE_FOLDER / f"{name}.bpf.c"
    source = Path(_work_folder().name) / "reno.bpf.c"
    source.write_text(RENO)
    return source


@functools.cache
def _compiled(name: str, kind: Kind, module_text: str = "") -> Path:
    """The library of scheme ``name``.

    Args:
        module_text: the scheme with its constants, which a module is compiled with.
    """
    compiler = c_compiler()
    folder = Path(tempfile.mkdtemp(dir=_work_folder().name))
    source = folder / "simulated.c"
    frame = f'#include "{HERE / "kernel_frame.c"}"\n'
    if kind is Kind.MODULE:
        scheme = parse_scheme(module_text)
        frame = definitions(socket_name(scheme), scheme.program_values) + frame
        headers = ["-D__KERNEL__", f"-I{_kernel_headers()}", f"-I{MODULE_FRAME}"]
    else:
        headers = STAND_IN
    source.write_text(frame)
    library = folder / f"{name}.so"
    options = [*FLAGS, *_defines(name, _source_of(name)), *headers, f"-I{SOURCE_FOLDER}"]
    result = subprocess.run([*compiler, *options, str(source), "-o", str(library)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UserError(f"the congestion control {name} does not compile for user space:\n{result.stderr.rstrip()}")
    return library


def bpf_frame_options(name: str, source: Path) -> list[str]:
    """Options and input of a C compiler that makes a library of a scheme in the frame for BPF programs, wherever its source is."""
    return [*FLAGS, *_defines(name, source), *STAND_IN, f"-I{SOURCE_FOLDER}", str(HERE / "kernel_frame.c")]


def _defines(name: str, source: Path) -> list[str]:
    return [f'-DSCHEME_SOURCE="{source}"', f"-DSCHEME={name}"]


class Frame:
    """The library of one scheme with its constants; connections of one frame share the scheme's BPF maps.

    Args:
        text: the scheme as people write it; ``reno`` is the testbed's template.
        kind: which of the two frames.

    Raises:
        UserError: there is no C compiler, no such scheme, or it does not compile.
    """

    def __init__(self, text: str, kind: Kind = Kind.BPF) -> None:
        self.scheme: Scheme = parse_scheme(text)
        compiled = _compiled(self.scheme.name, kind, self.scheme.text if kind is Kind.MODULE else "")
        with tempfile.NamedTemporaryFile(dir=compiled.parent, suffix=".so") as copy:  # a copy has constants and maps of its own
            copy.write(compiled.read_bytes())
            copy.flush()
            self.library = ctypes.CDLL(copy.name)
        for name, value in self.scheme.program_values.items() if kind is Kind.BPF else ():
            ctypes.c_uint32.in_dll(self.library, name).value = value
        self._declare()
        if kind is Kind.MODULE:
            assert self.library.stand_in_module_enter() == 0
            for name in ("registered_name", "written_file"):
                getattr(self.library, f"frame_{name}").restype = ctypes.c_char_p

    @classmethod
    def of_library(cls, library: Path) -> Frame:
        """A scheme that was compiled elsewhere with :func:`bpf_frame_options`; its constants are as they are in its source."""
        frame = cls.__new__(cls)
        frame.library = ctypes.CDLL(str(library))
        frame._declare()
        return frame

    def _declare(self) -> None:
        self.library.frame_open.restype = ctypes.c_void_p
        self.library.frame_open.argtypes = [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64]
        self.library.frame_pacing_rate.restype = ctypes.c_uint64
        for name in ("window", "ssthresh", "smoothed_rtt_us", "ca_state", "map_elements"):
            getattr(self.library, f"frame_{name}").restype = ctypes.c_uint32

    def unload(self) -> None:
        """Takes the module out again, as the kernel does."""
        self.library.stand_in_module_leave()

    @property
    def registered_name(self) -> str:
        """Under which name the module is registered now; empty if it is not."""
        return bytes(self.library.frame_registered_name()).decode()

    @property
    def written_file(self) -> str:
        """The file of the module that programs write into; empty if there is none."""
        return bytes(self.library.frame_written_file()).decode()

    @property
    def map_elements(self) -> int:
        """Entries in the scheme's maps."""
        return int(self.library.frame_map_elements())


class FrameConnection:
    """One connection in the kernel's frame. Times in us."""

    def __init__(self, frame: Frame, mss_bytes: int, rtt_us: int, now_us: int, initial_window: int = 10, mptcp_connection: int = 0) -> None:
        self._library = frame.library
        opened = self._library.frame_open(mss_bytes, initial_window, rtt_us, now_us, mptcp_connection)
        self._connection = ctypes.c_void_p(opened)

    @property
    def window(self) -> int:
        """snd_cwnd, packets."""
        return int(self._library.frame_window(self._connection))

    @property
    def threshold(self) -> int:
        """snd_ssthresh, packets."""
        return int(self._library.frame_ssthresh(self._connection))

    @property
    def smoothed_rtt_us(self) -> int:
        """As the kernel smooths it."""
        return int(self._library.frame_smoothed_rtt_us(self._connection))

    @property
    def state(self) -> int:
        """OPEN, CWR, RECOVERY or LOSS."""
        return int(self._library.frame_ca_state(self._connection))

    @property
    def pacing_bytes_per_s(self) -> int:
        """Pacing rate that the scheme has set; 0: none."""
        return int(self._library.frame_pacing_rate(self._connection))

    def set_window(self, window: int, threshold: int | None = None) -> None:
        """Begins at ``window`` packets, in congestion avoidance unless ``threshold`` is larger."""
        self._library.frame_set_window(self._connection, window, window if threshold is None else threshold)

    def set_max_pacing_rate(self, bytes_per_s: int) -> None:
        """SO_MAX_PACING_RATE."""
        self._library.frame_set_max_pacing_rate(self._connection, ctypes.c_uint64(bytes_per_s))

    def set_subflow_rate(self, bytes_per_s: int) -> None:
        """Sets the rate of a subflow, as the sending program does for ``nodectl``; 0 takes it out again."""
        self._library.frame_set_subflow_rate(self._connection, ctypes.c_uint64(bytes_per_s))

    def before_sending(self, now_us: int) -> None:
        """To be called before new packets are sent."""
        self._library.frame_before_sending(self._connection, ctypes.c_uint64(now_us))

    def sent(self, now_us: int, *, is_new: bool) -> None:
        """One packet was sent."""
        self._library.frame_sent(self._connection, ctypes.c_uint64(now_us), ctypes.c_bool(is_new))

    def sending_over(self, now_us: int, *, is_limited: bool) -> None:
        """All that may be sent now was sent; ``is_limited``: there is more, and the window does not let it out."""
        self._library.frame_sending_over(self._connection, ctypes.c_uint64(now_us), ctypes.c_bool(is_limited))

    def acked(
        self,
        now_us: int,
        acked: int,
        delivered: int,
        rtts_us: tuple[int, int],
        sacked_out: int = 0,
        lost_out: int = 0,
        retrans_out: int = 0,
        *,
        is_marked: bool = False,
        newest: int | None = None,
        newly_lost: int = 0,
    ) -> None:
        """An acknowledgement: packets in sequence and in all, RTTs of the first and the last of them (0: none), and counts from now on.

        Args:
            is_marked: it echoes a mark.
            newest: number of the latest transmission that it delivers, the connection's first being 0. Without it there is no rate.
            newly_lost: packets that count as lost with it.
        """
        if newest is not None:
            self._library.frame_delivers(self._connection, newest)
        self._library.frame_loses(self._connection, newly_lost)
        if is_marked:
            self._library.frame_marked(self._connection)
        self._library.frame_acked(self._connection, ctypes.c_uint64(now_us), acked, delivered, *rtts_us, sacked_out, lost_out, retrans_out)

    def received(self, *, is_marked: bool, is_put_off: bool) -> tuple[bool, bool]:
        """As a receiver, a packet has arrived; the acknowledgement of those before it ``is_put_off``.

        Returns:
            Whether the next acknowledgement echoes a mark, and whether it is to be sent at once.
        """
        self._library.frame_received(self._connection, ctypes.c_bool(is_marked), ctypes.c_bool(is_put_off))
        found = int(self._library.frame_next_acknowledgement(self._connection))
        return bool(found & 1), bool(found & 2)

    @property
    def acknowledgements_sent(self) -> tuple[int, int, bool]:
        """By the scheme itself, by all connections of its frame: how many; the last one's number in bytes, and whether it echoed a mark."""
        library = self._library
        library.frame_last_sent_was_marked.restype = ctypes.c_bool
        return library.frame_acknowledgements_sent(), library.frame_last_sent_seq(), library.frame_last_sent_was_marked()

    def timed_out(self, now_us: int) -> None:
        """The retransmission timer has run out."""
        self._library.frame_timed_out(self._connection, ctypes.c_uint64(now_us))

    def undo(self) -> None:
        """The last loss was none."""
        self._library.frame_undo(self._connection)

    def close(self) -> None:
        """Ends the connection; it must not be used afterwards."""
        self._library.frame_close(self._connection)
