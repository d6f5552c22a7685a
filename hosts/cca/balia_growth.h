/* SPDX-License-Identifier: GPL-2.0 */
/* How subflows grow and shrink by Balia. Pure arithmetic. */
#ifndef BALIA_GROWTH_H
#define BALIA_GROWTH_H

#include "path_rates.h"

/* Growth for each window of `own` acknowledged, in 65536ths of a packet. With y = x / x_best = 1 / alpha and S = sum_k x_k / x_best:
 *
 *     (x / sum x)^2 (1 + alpha) / 2 (4 + alpha) / 5 = (y + 1) (4 y + 1) / (10 S^2)
 */
ARITHMETIC __u64 balia_growth(const struct coupled_path *paths, struct coupled_path own)
{
	struct coupled_path best = fastest_path(paths, own);
	__u64 sum = sum_of_rates(paths, best), part = part_of_rate(own, best);
	__u64 of_one = ((part + HIGHEST_RATE) << RATE_BITS) / sum, of_four = ((4 * part + HIGHEST_RATE) << RATE_BITS) / sum;

	return of_one * of_four / 10 >> (2 * RATE_BITS - FRACTION_BITS);
}

/* The window after a loss: w - w / 2 min(alpha, 3/2). */
ARITHMETIC __u32 balia_after_loss(const struct coupled_path *paths, struct coupled_path own)
{
	__u64 part = larger_of(HIGHEST_RATE * 2 / 3, part_of_rate(own, fastest_path(paths, own)));
	__u32 lost = (__u32)(own.window * HIGHEST_RATE / part / 2);

	return own.window < lost + WINDOW_MIN ? WINDOW_MIN : own.window - lost;
}

#endif
