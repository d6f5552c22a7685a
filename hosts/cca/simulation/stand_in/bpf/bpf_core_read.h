/* SPDX-License-Identifier: GPL-2.0 */
/* libbpf's <bpf/bpf_core_read.h> for user space: the structures are the program's own, so that members are read as they are. */
#ifndef STAND_IN_BPF_CORE_READ_H
#define STAND_IN_BPF_CORE_READ_H

#define bpf_core_field_exists(type, member) 1
#define BPF_CORE_READ_BITFIELD(pointer, member) ((pointer)->member)

#define STAND_IN_READ_1(pointer, a) ((pointer)->a)
#define STAND_IN_READ_2(pointer, a, b) ((pointer)->a->b)
#define STAND_IN_READ(pointer, a, b, name, ...) name
#define BPF_CORE_READ(pointer, ...) STAND_IN_READ(pointer, __VA_ARGS__, STAND_IN_READ_2, STAND_IN_READ_1, 0)(pointer, __VA_ARGS__)

#endif
