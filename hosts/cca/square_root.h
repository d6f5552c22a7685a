/* SPDX-License-Identifier: GPL-2.0 */
/* The square root of a whole number. Pure arithmetic. */
#ifndef SQUARE_ROOT_H
#define SQUARE_ROOT_H

#include "plain_types.h"

/* The compiler knows nothing of the variable's value from here on, so it makes no branch of what follows from it (clang 19 does). */
#define NO_BRANCH_FOR(variable) __asm__ volatile("" : "+r"(variable))

/* Largest whole number whose square is at most `x`; x < 2^62.
 *
 * Digit by digit, and without a branch: the kernel's verifier follows both ways of each, 2^31 of them here.
 */
ARITHMETIC __u64 whole_square_root(__u64 x)
{
	__u64 root = 0, bit = 1ULL << 60;
	int step;

	for (step = 0; step < 31; step++, bit >>= 2) {
		__u64 trial = root + bit;
		__u64 rest = x - trial;
		__u64 fits;

		NO_BRANCH_FOR(rest);
		fits = 1 - (rest >> 63); /* 1 if x >= trial, else 0 */
		NO_BRANCH_FOR(fits);
		x -= trial * fits;
		root = (root >> 1) + bit * fits;
	}
	return root;
}

#endif
