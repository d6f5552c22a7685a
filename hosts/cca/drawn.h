/* SPDX-License-Identifier: GPL-2.0 */
/* Chance that repeats: the same connection at the same time draws the same. Pure arithmetic. */
#ifndef DRAWN_H
#define DRAWN_H

#include "plain_types.h"

/* Below `range`, from two numbers that differ from draw to draw, such as the time and the packets delivered. */
ARITHMETIC __u32 drawn_below(__u32 range, __u32 one, __u32 other)
{
	__u32 mixed = (one ^ other * 0x85ebca6bU) * 0x9e3779b1U;

	mixed ^= mixed >> 15;
	mixed *= 0x2c1b3c6dU;
	mixed ^= mixed >> 13;
	return (__u32)((__u64)mixed * range >> 32);
}

#endif
