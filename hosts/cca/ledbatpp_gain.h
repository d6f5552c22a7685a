/* SPDX-License-Identifier: GPL-2.0 */
/* The steps of LEDBAT++. Pure arithmetic. */
#ifndef LEDBATPP_GAIN_H
#define LEDBATPP_GAIN_H

#include "growth.h"

#define LEDBATPP_SLOWEST 16

/* 1 / GAIN = min(16, ceil(2 TARGET / base)): a connection grows by as many rounds more slowly than standard TCP. */
ARITHMETIC __u32 ledbatpp_slowness(__u32 base_us, __u32 target_us)
{
	__u64 rounds;

	if (base_us == 0)
		return LEDBATPP_SLOWEST;
	rounds = (2 * (__u64)target_us + base_us - 1) / base_us;
	if (rounds == 0)
		return 1;
	return rounds < LEDBATPP_SLOWEST ? (__u32)rounds : LEDBATPP_SLOWEST;
}

/* The window, in 65536ths of a packet, after a round in which `queue_us` was more than the target:
 *
 *     w + max(GAIN - w (queue / TARGET - 1), -w / 2)
 */
ARITHMETIC __u64 ledbatpp_above_target(__u64 window, __u32 queue_us, __u32 target_us, __u32 slowness)
{
	__u32 above_us = queue_us - target_us;
	__u64 less;

	if (target_us == 0 || above_us >= target_us)
		return window / 2; /* the gain is at most one packet; half the window is more to lose in any case */
	less = window * above_us / target_us;
	window += ONE_PACKET / slowness;
	return less < window / 2 ? window - less : window / 2;
}

#endif
