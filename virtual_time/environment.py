"""The environment of programs inside: nothing of it depends on the machine outside.

Libraries choose faster variants of their functions by the processor that they find. Some variants round the last digit differently
(fused multiply-add in libm, the order of NumPy's sums). Inside, all libraries take the variants that every x86-64 processor has.
"""

from __future__ import annotations

from common.time_mode import VARIABLE, VIRTUAL
from virtual_time.places import PROGRAMS

PROCESSOR_FEATURES = (
    "AVX", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "AVX512DQ", "AVX512CD", "AVX512ER", "AVX512PF", "AVX_VNNI", "BMI1", "BMI2", "ERMS",
    "FMA", "FMA4", "F16C", "FSRM", "LZCNT", "MOVBE", "POPCNT", "RTM", "SSE3", "SSSE3", "SSE4_1", "SSE4_2", "XSAVEC",
)  # fmt: skip
"""Features that glibc is to do without (GLIBC_TUNABLES, glibc.cpu.hwcaps). They decide about the variants of its functions, and about
the folders in which it looks for libraries: each folder that is not there costs a system call."""

NUMPY_FEATURES = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
"""All features that NumPy has variants for (as of 2.4), besides those that it requires."""

COMMON = {
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in PROCESSOR_FEATURES),
}
"""Variables of every process, the first one too."""


def inside_environment(**more: str) -> dict[str, str]:
    """The complete environment of a command inside.

    Args:
        more: further variables.
    """
    return {
        "PATH": PROGRAMS,
        "HOME": "/root",
        "TERM": "dumb",
        "TZ": "UTC",
        VARIABLE: VIRTUAL,
        "NODECTL_KEEP_AWAKE": "no",
        **COMMON,
        "NPY_DISABLE_CPU_FEATURES": NUMPY_FEATURES,
        "OPENBLAS_CORETYPE": "Prescott",
        "OPENBLAS_NUM_THREADS": "1",
        "OPENSSL_ia32cap": "0x0:0x0",
        **more,
    }
