/* SPDX-License-Identifier: GPL-2.0 */
/* The window search of BIC: where to grow to, and how fast. Pure arithmetic. */
#ifndef BIC_SEARCH_H
#define BIC_SEARCH_H

#include "growth.h"

/* The paper's constants (section V). */
#define BIC_LOW_WINDOW 14	      /* packets; standard TCP below */
#define BIC_STEP_MAX 32		      /* S_max: packets a window at most */
#define BIC_STEP_MIN (ONE_PACKET / 100) /* S_min: 0.01 packets a window at least */
#define BIC_DECREASE_SHIFT 3	      /* beta = 1/8 */

#define BIC_MAXIMUM_UNKNOWN (1U << 30) /* the paper's default_max_win: "a very large integer" */

struct bic_search {
	__u32 maximum;	    /* max_win: the window looked for; 0 counts as unknown */
	__u32 probe_step;   /* ss_cwnd: growth while probing beyond the maximum, doubled each window; 0: not probing */
	__u32 probe_target; /* ss_target: window at which it doubles next */
};

/* Growth from `window` on, in 65536ths of a packet a window (the paper's "fast convergence" phase or its slow start beyond the
 * maximum). To be called for every acknowledgement: it also notices that the window has come to the maximum.
 */
ARITHMETIC __u64 bic_growth(struct bic_search *search, __u32 window)
{
	__u64 step;

	if (window < BIC_LOW_WINDOW)
		return ONE_PACKET;
	if (search->maximum == 0)
		search->maximum = BIC_MAXIMUM_UNKNOWN;
	if (search->probe_step == 0 && window >= search->maximum) {
		search->maximum = BIC_MAXIMUM_UNKNOWN;
		search->probe_step = 1;
		search->probe_target = window + 1;
	}
	if (search->probe_step != 0) {
		if (window >= search->probe_target) {
			search->probe_step *= 2;
			search->probe_target = window + search->probe_step;
		}
		if (search->probe_step < BIC_STEP_MAX)
			return search->probe_step * ONE_PACKET;
		search->probe_step = 0;
	}
	step = ((__u64)(search->maximum - window) << FRACTION_BITS) / 2; /* half way to the maximum */
	if (step > BIC_STEP_MAX * ONE_PACKET)
		return BIC_STEP_MAX * ONE_PACKET;
	return step < BIC_STEP_MIN ? BIC_STEP_MIN : step;
}

/* Window after a loss at `window`; remembers where that was. */
ARITHMETIC __u32 bic_after_loss(struct bic_search *search, __u32 window)
{
	__u32 former = search->maximum == 0 ? BIC_MAXIMUM_UNKNOWN : search->maximum;
	__u32 after;

	search->probe_step = 0;
	if (window < BIC_LOW_WINDOW) {
		search->maximum = window;
		return half_window(window);
	}
	after = window - (window >> BIC_DECREASE_SHIFT);
	search->maximum = window;
	if (former > window) /* less room than before: leave some of it to others */
		search->maximum = (window + after) / 2;
	return after;
}

#endif
