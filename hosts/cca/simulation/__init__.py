"""Schemes in simulated time: the very C file that the kernel runs, compiled for user space and driven acknowledgement by acknowledgement.

`stand_in/` takes the place of libbpf's headers, `kernel_frame.c` is what Linux does around a scheme's callbacks, `frame.py` makes both
callable, and `network.py` has links, senders and receivers. Nothing depends on real time: the same run gives the same numbers everywhere.
"""
