/* SPDX-License-Identifier: GPL-2.0 */
/* One step of QtCol and QtColFair: the next window from window, packets in flight and RTTs. Pure arithmetic. */
#ifndef QTCOL_STEP_H
#define QTCOL_STEP_H

#include "growth.h"

#define QTCOL_WINDOW_MIN 4 /* m_minCwndAllowed, packets */

#define QTCOL_RTT_MAX_US (1U << 24)
#define QTCOL_PACKETS_MAX (1U << 20)

struct qtcol_path {
	__u32 window;	    /* W, packets */
	__u32 in_flight;    /* L, packets */
	__u32 rtt_us;	    /* R: the last RTT */
	__u32 rtt_min_us;   /* R_min */
	__u32 target_share; /* alpha in thousandths */
};

ARITHMETIC struct qtcol_path qtcol_bounded(struct qtcol_path path)
{
	path.rtt_us = path.rtt_us < 1 ? 1 : path.rtt_us > QTCOL_RTT_MAX_US ? QTCOL_RTT_MAX_US : path.rtt_us;
	path.rtt_min_us = path.rtt_min_us < 1 ? 1 : path.rtt_min_us > path.rtt_us ? path.rtt_us : path.rtt_min_us;
	path.window = path.window > QTCOL_PACKETS_MAX ? QTCOL_PACKETS_MAX : path.window;
	path.in_flight = path.in_flight > QTCOL_PACKETS_MAX ? QTCOL_PACKETS_MAX : path.in_flight;
	path.target_share = path.target_share < 1 ? 1 : path.target_share;
	return path;
}

/* Equation (10): L_pred = L + W - W R / R_target, R_target = alpha R_min; the product is rounded up, as in the authors' code.
 * At least 4, and never L itself: the paper wants "consistent variability".
 */
ARITHMETIC __u32 qtcol_predict(struct qtcol_path raw)
{
	struct qtcol_path path = qtcol_bounded(raw);
	__u64 target = (__u64)path.target_share * path.rtt_min_us; /* in thousandths of a us */
	__u64 taken = ((__u64)path.window * path.rtt_us * 1000 + target - 1) / target;
	__u64 sum = (__u64)path.in_flight + path.window;
	__u64 predicted = sum > taken + QTCOL_WINDOW_MIN ? sum - taken : QTCOL_WINDOW_MIN;

	return predicted == path.in_flight ? path.in_flight + 1 : (__u32)predicted;
}

/* Equation (12): W_new = W + ceil((R_min / R) (L_pred - L)), at least 4, and never W itself. */
ARITHMETIC __u32 qtcol_next_window(struct qtcol_path raw, __u32 predicted)
{
	struct qtcol_path path = qtcol_bounded(raw);
	__s64 difference = (__s64)predicted - path.in_flight;
	__u64 size = (__u64)(difference < 0 ? -difference : difference) * path.rtt_min_us;
	__s64 window = path.window;

	if (difference >= 0)
		window += (size + path.rtt_us - 1) / path.rtt_us;
	else
		window -= size / path.rtt_us; /* rounding up a negative number */
	if (window < QTCOL_WINDOW_MIN)
		window = QTCOL_WINDOW_MIN;
	return window == path.window ? window + 1 : window;
}

/* The threshold that ends slow start at `window`: 9/10 of it, at least 2. */
ARITHMETIC __u32 qtcol_threshold(__u32 window)
{
	__u32 threshold = (__u32)((__u64)window * 9 / 10);

	return threshold < WINDOW_MIN ? WINDOW_MIN : threshold;
}

/* Whether the RTT lies more than 1 % above the smallest: then slow start is over for good (the authors' code). */
ARITHMETIC _Bool qtcol_sees_a_queue(__u32 rtt_us, __u32 rtt_min_us)
{
	return (__u64)rtt_us * 100 > (__u64)rtt_min_us * 101;
}

/* L_pred of the first step after a probe: 9/10 of the window from before, at least 4, and never L itself. */
ARITHMETIC __u32 qtcol_after_probe(struct qtcol_path path, __u32 prior_window)
{
	__u32 predicted = (__u32)((__u64)prior_window * 9 / 10);

	if (predicted < QTCOL_WINDOW_MIN)
		predicted = QTCOL_WINDOW_MIN;
	return predicted == path.in_flight ? predicted + 1 : predicted;
}

/* Whether the RTT is above the target. */
ARITHMETIC _Bool qtcol_is_above_target(__u32 rtt_us, __u32 rtt_min_us, __u32 target_share)
{
	return (__u64)rtt_us * 1000 > (__u64)rtt_min_us * target_share;
}

/* Whether the RTT is below the target, so that slow start may go on. */
ARITHMETIC _Bool qtcol_is_below_target(__u32 rtt_us, __u32 rtt_min_us, __u32 target_share)
{
	return (__u64)rtt_us * 1000 < (__u64)rtt_min_us * target_share;
}

#endif
