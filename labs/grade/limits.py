"""How much of the machine one hand-in may take."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """The limits of one check of one hand-in.

    Args:
        time_s: real time; a busy machine takes several times as long as an idle one.
        memory_bytes: of all its processes together, without files in memory; looked at several times a second.
        process_memory_bytes: of address space, of each process.
        processor_s: of each process.
        processes: at once.
        open_files: of each process.
        file_bytes: of each file; the memory of a user-mode kernel is one.
        disk_bytes: of all its files together, which are in memory and gone afterwards.
        kernel_memory_bytes: of files in /dev/shm, where user-mode kernels have their memory.
        output_bytes: that it may print.
    """

    time_s: float = 1800.0
    memory_bytes: int = 3072 * MEGABYTE
    process_memory_bytes: int = 16384 * MEGABYTE
    processor_s: int = 600
    processes: int = 400
    open_files: int = 16384
    file_bytes: int = 2049 * MEGABYTE
    disk_bytes: int = 512 * MEGABYTE
    kernel_memory_bytes: int = 2048 * MEGABYTE
    output_bytes: int = MEGABYTE
