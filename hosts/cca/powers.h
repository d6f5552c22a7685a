/* SPDX-License-Identifier: GPL-2.0 */
/* Powers of two and of e in fixed point. Pure arithmetic; numbers are in 65536ths. */
#ifndef POWERS_H
#define POWERS_H

#include "growth.h"

#define LOG2_E 94548 /* log2(e) in 65536ths */

/* 2^f for 0 <= f <= 1: the cubic 1 + 0.69556 f + 0.22617 f^2 + 0.07827 f^3, which is off by 0.02 % at most. */
ARITHMETIC __u64 power_of_fraction(__u64 f)
{
	return ONE_PACKET + (f * (45584 + (f * (14822 + (f * 5130 >> FRACTION_BITS)) >> FRACTION_BITS)) >> FRACTION_BITS);
}

/* e^(-y). Off by 0.03 % of itself and 1/65536. */
ARITHMETIC __u32 falling_exponential(__u32 y)
{
	__u64 exponent = (__u64)y * LOG2_E >> FRACTION_BITS;
	__u64 whole = exponent >> FRACTION_BITS, f = exponent & (ONE_PACKET - 1);

	if (whole > FRACTION_BITS)
		return 0;
	return (__u32)(power_of_fraction(ONE_PACKET - f) >> (whole + 1));
}

#endif
