/* SPDX-License-Identifier: GPL-2.0 */
/* Swift's target delay and steps. Pure arithmetic; windows are in 65536ths of a packet. */
#ifndef SWIFT_TARGET_H
#define SWIFT_TARGET_H

#include "growth.h"
#include "square_root.h"

#define SWIFT_UNIT 1024		    /* beta and the largest decrease are in 1024ths */
#define SWIFT_LEAST_ROOT 207243	    /* 1 / sqrt(0.1), in 65536ths: there the scaling is at its range */
#define SWIFT_MOST_ROOT 6554	    /* 1 / sqrt(100): there it is none */
#define SWIFT_WINDOW_MIN (ONE_PACKET / 10) /* a packet in ten RTTs */

/* Flow scaling, in us: range (1 / sqrt(w) - 1 / sqrt(100)) / (1 / sqrt(0.1) - 1 / sqrt(100)), between 0 and the range.
 *
 * Many connections have small windows: they may queue more, or their targets could not be met.
 */
ARITHMETIC __u32 swift_scaling_us(__u64 window, __u32 range_us)
{
	__u64 root, inverse;

	if (window < SWIFT_WINDOW_MIN)
		window = SWIFT_WINDOW_MIN;
	if (window > (__u64)ACKED_MAX << FRACTION_BITS)
		window = (__u64)ACKED_MAX << FRACTION_BITS;
	root = whole_square_root(window << FRACTION_BITS);
	inverse = (ONE_PACKET << FRACTION_BITS) / root;
	if (inverse <= SWIFT_MOST_ROOT)
		return 0;
	if (inverse >= SWIFT_LEAST_ROOT)
		return range_us;
	return (__u32)(range_us * (inverse - SWIFT_MOST_ROOT) / (SWIFT_LEAST_ROOT - SWIFT_MOST_ROOT));
}

/* One packet for a window of acknowledged ones; for each one where the window is smaller than a packet. */
ARITHMETIC __u64 swift_grown(__u64 window, __u32 acked)
{
	__u64 whole = (__u64)(acked < ACKED_MAX ? acked : ACKED_MAX) << FRACTION_BITS;

	return window + (window < ONE_PACKET ? whole : (whole << FRACTION_BITS) / window);
}

/* w max(1 - beta (delay - target) / delay, 1 - most). */
ARITHMETIC __u64 swift_shrunk(__u64 window, __u32 delay_us, __u32 target_us, __u32 beta, __u32 most)
{
	__u64 part = delay_us <= target_us ? 0 : (__u64)beta * (delay_us - target_us) / delay_us;

	if (part > most)
		part = most;
	window -= window * part / SWIFT_UNIT;
	return window < SWIFT_WINDOW_MIN ? SWIFT_WINDOW_MIN : window;
}

#endif
