/* SPDX-License-Identifier: GPL-2.0 */
/* Copa's target rate and steps. Pure arithmetic. */
#ifndef COPA_TARGET_H
#define COPA_TARGET_H

#include "growth.h"

#define COPA_UNIT 1024			 /* 1 / delta is in 1024ths */
#define COPA_VELOCITY_MAX (1U << 16)	 /* a doubling every round does not overflow */
#define COPA_PATIENCE 3			 /* rounds in one direction before the velocity doubles */

/* Whether the rate w / RTTstanding is at most the target 1 / (delta dq), dq = RTTstanding - RTTmin; `inverse` is 1 / delta.
 *
 *     w dq <= RTTstanding / delta
 */
ARITHMETIC _Bool copa_is_below_target(__u32 window, __u32 standing_us, __u32 least_us, __u32 inverse)
{
	if (standing_us <= least_us)
		return 1;
	return (__u64)window * (standing_us - least_us) * COPA_UNIT <= (__u64)standing_us * inverse;
}

/* v / delta in 65536ths of a packet: what the window changes by while a whole window is acknowledged. */
ARITHMETIC __u64 copa_step(__u32 velocity, __u32 inverse)
{
	return (__u64)velocity * inverse * (ONE_PACKET / COPA_UNIT);
}

/* The window, in 65536ths of a packet, after `acked` packets; `step` is for a whole window of them.
 * No acknowledgement more than doubles it, nor takes it below the smallest.
 */
ARITHMETIC __u64 copa_next_window(__u64 window, __u64 step, __u32 acked, _Bool is_growing)
{
	__u64 packets = window >> FRACTION_BITS, change;

	if (acked > ACKED_MAX)
		acked = ACKED_MAX;
	if (step > GROWTH_MAX)
		step = GROWTH_MAX;
	change = step * acked / (packets == 0 ? 1 : packets);
	if (is_growing) {
		__u64 most = (__u64)acked << FRACTION_BITS;

		return window + (change < most ? change : most);
	}
	if (window < change + WINDOW_MIN * ONE_PACKET)
		return WINDOW_MIN * ONE_PACKET;
	return window - change;
}

/* The velocity of the next round: doubled after COPA_PATIENCE rounds in one direction, 1 after a turn. */
ARITHMETIC __u32 copa_velocity(__u32 velocity, __u32 rounds_in_direction)
{
	if (rounds_in_direction == 0)
		return 1;
	if (rounds_in_direction < COPA_PATIENCE)
		return velocity;
	return velocity < COPA_VELOCITY_MAX ? 2 * velocity : velocity;
}

/* Whether the queue is nearly empty: less than a tenth of the largest of late stands in it. */
ARITHMETIC _Bool copa_is_nearly_empty(__u32 standing_us, __u32 least_us, __u32 most_us)
{
	return standing_us <= least_us || (__u64)(standing_us - least_us) * 10 < (__u64)(most_us - least_us);
}

#endif
