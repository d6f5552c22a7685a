"""A scheme's C file and the kernel's frame around it, compiled for user space and callable."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from hosts.cca.scheme_names import Scheme, parse_scheme
from hosts.cca.sources import SOURCE_FOLDER

HERE = Path(__file__).resolve().parent
COMPILERS = ("gcc", "clang-14", "clang", "cc")
FLAGS = (
    "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unknown-pragmas", "-Wno-unused-parameter",
    "-shared", "-fPIC", "-fno-builtin", "-Wl,-Bsymbolic",
)  # fmt: skip
RENO = '#include "scheme.h"\n' + (SOURCE_FOLDER / "template.c").read_text().replace("mycca", "reno").partition('#include "scheme.h"')[2]
"""The template, which is standard TCP: the contrast to every other scheme, without the kernel."""

OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)
"""The kernel's states of loss recovery (TCP_CA_…)."""


@functools.cache
def _work_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="cca-simulation-")


@functools.cache
def _compiled(name: str) -> Path:
    """The library of scheme ``name``; skips the test loudly without a C compiler."""
    compiler = next((path for word in COMPILERS if (path := shutil.which(word))), None)
    if compiler is None:
        pytest.skip("no C compiler: the congestion controls are NOT simulated")
    folder = Path(_work_folder().name)
    source = SOURCE_FOLDER / f"{name}.bpf.c"
    if name == "reno":
        source = folder / "reno.bpf.c"
        source.write_text(RENO)
    library = folder / f"{name}.so"
    defines = [f'-DSCHEME_SOURCE="{source}"', f"-DSCHEME={name}", f"-I{HERE / 'stand_in'}", f"-I{SOURCE_FOLDER}"]
    subprocess.run([compiler, *FLAGS, *defines, str(HERE / "kernel_frame.c"), "-o", str(library)], check=True)
    return library


class Frame:
    """The library of one scheme with its constants; connections of one frame share the scheme's BPF maps.

    Args:
        text: the scheme as people write it; ``reno`` is the testbed's template.
    """

    def __init__(self, text: str) -> None:
        self.scheme: Scheme = parse_scheme(text)
        compiled = _compiled(self.scheme.name)
        with tempfile.NamedTemporaryFile(dir=compiled.parent, suffix=".so") as copy:  # a copy has constants and maps of its own
            copy.write(compiled.read_bytes())
            copy.flush()
            self.library = ctypes.CDLL(copy.name)
        for name, value in self.scheme.program_values.items():
            ctypes.c_uint32.in_dll(self.library, name).value = value
        self.library.frame_open.restype = ctypes.c_void_p
        self.library.frame_open.argtypes = [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64]
        self.library.frame_pacing_rate.restype = ctypes.c_uint64
        for name in ("window", "ssthresh", "smoothed_rtt_us", "ca_state", "map_elements"):
            self.library[f"frame_{name}"].restype = ctypes.c_uint32

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
        """OPEN, RECOVERY or LOSS."""
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
    ) -> None:
        """An acknowledgement: packets in sequence and in all, RTTs of the first and the last of them (0: none), and counts from now on."""
        self._library.frame_acked(self._connection, ctypes.c_uint64(now_us), acked, delivered, *rtts_us, sacked_out, lost_out, retrans_out)

    def timed_out(self, now_us: int) -> None:
        """The retransmission timer has run out."""
        self._library.frame_timed_out(self._connection, ctypes.c_uint64(now_us))

    def undo(self) -> None:
        """The last loss was none."""
        self._library.frame_undo(self._connection)

    def close(self) -> None:
        """Ends the connection; it must not be used afterwards."""
        self._library.frame_close(self._connection)
