"""The environment of programs inside: nothing of it depends on the machine outside.

Libraries choose faster variants of their functions by the processor that they find, and some of these round otherwise in the last digit
(fused multiply-add in libm, the order of NumPy's sums). Inside, all of them take the variants that every x86-64 processor has.
"""

from __future__ import annotations

from protocol.time_mode import VARIABLE, VIRTUAL
from virtual_time.init import PROGRAMS

PROCESSOR_FEATURES = (
    "AVX", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "AVX512DQ", "AVX512CD", "AVX512ER", "AVX512PF", "AVX_VNNI", "BMI1", "BMI2", "ERMS",
    "FMA", "FMA4", "F16C", "FSRM", "LZCNT", "MOVBE", "POPCNT", "RTM", "SSE3", "SSSE3", "SSE4_1", "SSE4_2", "XSAVEC",
)  # fmt: skip
"""That glibc is to do without (GLIBC_TUNABLES, glibc.cpu.hwcaps)."""

NUMPY_FEATURES = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"


def inside_environment(**more: str) -> dict[str, str]:
    """The complete environment of a command inside.

    Args:
        more: variables besides.
    """
    return {
        "PATH": PROGRAMS,
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TZ": "UTC",
        VARIABLE: VIRTUAL,
        "NODECTL_KEEP_AWAKE": "no",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in PROCESSOR_FEATURES),
        "NPY_DISABLE_CPU_FEATURES": NUMPY_FEATURES,
        "OPENBLAS_CORETYPE": "Prescott",
        "OPENBLAS_NUM_THREADS": "1",
        "OPENSSL_ia32cap": "0x0:0x0",
        **more,
    }
