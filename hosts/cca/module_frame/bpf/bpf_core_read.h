/* SPDX-License-Identifier: GPL-2.0 */
/* libbpf's <bpf/bpf_core_read.h> for a module: it is compiled for one kernel, whose structures it knows, so that members are read as
 * they are. A member that this kernel does not have is the compiler's to report.
 */
#ifndef MODULE_FRAME_BPF_CORE_READ_H
#define MODULE_FRAME_BPF_CORE_READ_H

#define bpf_core_field_exists(...) 1
#define bpf_core_type_exists(...) 1
#define BPF_CORE_READ_BITFIELD(pointer, member) ((pointer)->member)

#define CORE_READ_1(pointer, a) ((pointer)->a)
#define CORE_READ_2(pointer, a, b) ((pointer)->a->b)
#define CORE_READ_3(pointer, a, b, c) ((pointer)->a->b->c)
#define CORE_READ_OF(pointer, a, b, c, name, ...) name
#define BPF_CORE_READ(pointer, ...) \
	CORE_READ_OF(pointer, __VA_ARGS__, CORE_READ_3, CORE_READ_2, CORE_READ_1, 0)(pointer, __VA_ARGS__)

#endif
