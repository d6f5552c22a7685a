"""The protocol's constants and layouts in the C sources of the congestion control `nodectl`, beside Python's."""

from __future__ import annotations

import re
import struct

from hosts.cca import subflow_rates
from protocol.constants import MAX_RTT_US
from tests.harness.switches import REPOSITORY

SOURCES = REPOSITORY / "hosts" / "cca"
C_BYTES = {"__u64": 8, "__u32": 4, "__u16": 2}


def test_longest_rtt() -> None:
    window = (SOURCES / "nodectl_window.h").read_text(encoding="utf-8")
    assert re.findall(r"#define WINDOW_RTT_MAX_US (\d+)ULL", window) == [str(MAX_RTT_US)]


def test_key_of_the_map_of_subflow_rates() -> None:
    """Python writes the keys that the kernel's program reads."""
    header = (SOURCES / "subflow_rates.h").read_text(encoding="utf-8")
    body = re.search(r"struct subflow_key \{(.*?)\n\};", header, re.DOTALL)
    assert body is not None
    c_sizes = [C_BYTES[kind] for kind in re.findall(r"(__u\d+) \w+;", body.group(1))]
    python_sizes = [struct.calcsize(f"={item}") for item in re.findall(r"\d*[a-zA-Z]", subflow_rates.KEY_FORMAT)]
    assert python_sizes == c_sizes
    assert all(sum(c_sizes[:index]) % size == 0 for index, size in enumerate(c_sizes)), "C would put gaps between them"
