/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's names for integers, so that the arithmetic headers compile for BPF and for user space alike. */
#ifndef NODECTL_PLAIN_TYPES_H
#define NODECTL_PLAIN_TYPES_H

#ifdef __bpf__
typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

/* Constants that bpf_helper_defs.h and the maps need; fixed parts of the kernel's interface. */
enum bpf_map_type_used {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_SK_STORAGE = 24,
};
#define BPF_F_NO_PREALLOC 1U
#define BPF_SK_STORAGE_GET_F_CREATE 1U
#else
#include <linux/types.h>
#endif

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

#endif
