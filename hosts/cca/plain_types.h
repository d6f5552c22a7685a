/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's names for integers, so that the arithmetic headers compile for BPF, for a module and for user space alike. */
#ifndef NODECTL_PLAIN_TYPES_H
#define NODECTL_PLAIN_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
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
#endif

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* Begins every function that the tests call too: inlined into a program of the kernel, exported from a library in user space. */
#if defined(__bpf__) || defined(__KERNEL__)
#define ARITHMETIC static __always_inline
#else
#define ARITHMETIC
#endif

#endif
