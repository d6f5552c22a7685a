/* SPDX-License-Identifier: GPL-2.0 */
/* The step of TCP Vegas once a round trip. Pure arithmetic. */
#ifndef VEGAS_ROUND_H
#define VEGAS_ROUND_H

#include "growth.h"

/* Whether more than `limit` packets of the `window` stand in queues:
 *
 *     Diff = (Expected - Actual) BaseRTT = (w / BaseRTT - w / RTT) BaseRTT = w (RTT - BaseRTT) / RTT > limit
 *
 * without the division, hence exactly.
 */
ARITHMETIC _Bool vegas_queues_more(__u32 window, __u32 rtt_us, __u32 base_us, __u32 limit)
{
	if (rtt_us <= base_us)
		return 0;
	return (__u64)window * (rtt_us - base_us) > (__u64)limit * rtt_us;
}

/* The same for "fewer than `limit`". */
ARITHMETIC _Bool vegas_queues_less(__u32 window, __u32 rtt_us, __u32 base_us, __u32 limit)
{
	if (rtt_us <= base_us)
		return limit > 0;
	return (__u64)window * (rtt_us - base_us) < (__u64)limit * rtt_us;
}

/* The window for the next round in congestion avoidance, with `fewest` (alpha) to `most` (beta) packets to stand in queues. */
ARITHMETIC __u32 vegas_next_window(__u32 window, __u32 rtt_us, __u32 base_us, __u32 fewest, __u32 most)
{
	if (vegas_queues_less(window, rtt_us, base_us, fewest))
		return window + 1;
	if (vegas_queues_more(window, rtt_us, base_us, most))
		return window > WINDOW_MIN ? window - 1 : WINDOW_MIN;
	return window;
}

/* The window that would have queued nothing, plus one: where slow start ends. */
ARITHMETIC __u32 vegas_slow_start_end(__u32 window, __u32 rtt_us, __u32 base_us)
{
	__u64 fitting;

	if (rtt_us == 0 || base_us >= rtt_us)
		return window;
	fitting = (__u64)window * base_us / rtt_us + 1;
	return fitting < WINDOW_MIN ? WINDOW_MIN : (__u32)fitting;
}

#endif
