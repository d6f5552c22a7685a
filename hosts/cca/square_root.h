/* SPDX-License-Identifier: GPL-2.0 */
/* The square root of a whole number. Pure arithmetic. */
#ifndef SQUARE_ROOT_H
#define SQUARE_ROOT_H

#include "branchless.h"

/* Largest whole number whose square is at most `x`; x < 2^62.
 *
 * Digit by digit, and without a branch: the kernel's verifier follows both ways of each, 2^31 of them here.
 */
ARITHMETIC __u64 whole_square_root(__u64 x)
{
	__u64 root = 0, bit = 1ULL << 60;
	int step;

	for (step = 0; step < 31; step++, bit >>= 2) {
		__u64 trial = root + bit, fits = 1 - is_less(x, trial);

		x -= trial * fits;
		root = (root >> 1) + bit * fits;
	}
	return root;
}

#endif
