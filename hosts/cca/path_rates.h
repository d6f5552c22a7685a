/* SPDX-License-Identifier: GPL-2.0 */
/* Rates x = w / rtt of the subflows of one MPTCP connection, as parts of the highest one's. Pure arithmetic. */
#ifndef PATH_RATES_H
#define PATH_RATES_H

#include "coupled_paths.h"

#define RATE_BITS 20
#define HIGHEST_RATE (1ULL << RATE_BITS)

/* The path with the highest rate, `own` among them. */
ARITHMETIC struct coupled_path fastest_path(const struct coupled_path *paths, struct coupled_path own)
{
	struct coupled_path best = bounded_path(&own);
	int index;

	for (index = 0; index < PATHS_MAX; index++) {
		struct coupled_path path = bounded_path(&paths[index]);

		if ((__u64)path.window * best.rtt_us > (__u64)best.window * path.rtt_us)
			best = path;
	}
	if (best.window == 0)
		best.window = 1;
	return best;
}

/* x / x_best, with RATE_BITS of fraction: HIGHEST_RATE at most. */
ARITHMETIC __u64 part_of_rate(struct coupled_path path, struct coupled_path best)
{
	path = bounded_path(&path);
	return smaller_of(HIGHEST_RATE, ((__u64)path.window * best.rtt_us << RATE_BITS) / ((__u64)path.rtt_us * best.window));
}

/* sum_k x_k / x_best; at least 1. */
ARITHMETIC __u64 sum_of_rates(const struct coupled_path *paths, struct coupled_path best)
{
	__u64 sum = 0;
	int index;

	for (index = 0; index < PATHS_MAX; index++)
		sum += part_of_rate(paths[index], best);
	return larger_of(HIGHEST_RATE, sum);
}

#endif
