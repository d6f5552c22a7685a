/* SPDX-License-Identifier: GPL-2.0 */
/* Comparisons without a branch: the kernel's verifier follows both ways of each. Pure arithmetic; numbers are below 2^63. */
#ifndef BRANCHLESS_H
#define BRANCHLESS_H

#include "plain_types.h"

/* The compiler knows nothing of the variable's value from here on, so it makes no branch of what follows from it (clang 19 does). */
#define NO_BRANCH_FOR(variable) __asm__ volatile("" : "+r"(variable))

/* 1 if one < other, else 0. */
ARITHMETIC __u64 is_less(__u64 one, __u64 other)
{
	__u64 rest = one - other;
	__u64 is;

	NO_BRANCH_FOR(rest);
	is = rest >> 63;
	NO_BRANCH_FOR(is);
	return is;
}

/* 1 if one == other, else 0. */
ARITHMETIC __u64 is_same(__u64 one, __u64 other)
{
	return 1 - (is_less(one, other) | is_less(other, one));
}

ARITHMETIC __u64 smaller_of(__u64 one, __u64 other)
{
	__u64 is = is_less(one, other);

	return one * is + other * (1 - is);
}

ARITHMETIC __u64 larger_of(__u64 one, __u64 other)
{
	__u64 is = is_less(one, other);

	return other * is + one * (1 - is);
}

#endif
