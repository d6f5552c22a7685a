/* SPDX-License-Identifier: GPL-2.0 */
/* The frame a scheme is compiled in: BPF programs for the machine's kernel, or a module for a user-mode kernel. Only here it is chosen. */
#ifndef FRAME_H
#define FRAME_H

/* The flags by which a scheme asks the kernel for more, such as TCP_CONG_NEEDS_ECN. Its file defines them before it includes the frame. */
#ifndef SCHEME_FLAGS
#define SCHEME_FLAGS 0
#endif

#ifdef __KERNEL__
#include "module_frame/module_frame.h"
#else
#include "bpf_frame.h"
#endif

#endif
