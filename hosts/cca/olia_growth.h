/* SPDX-License-Identifier: GPL-2.0 */
/* How subflows grow and shrink by OLIA. Pure arithmetic. */
#ifndef OLIA_GROWTH_H
#define OLIA_GROWTH_H

#include "path_rates.h"

/* l^2 / rtt of a path, by which it is one of the best: its packets between losses over its RTT; 0: there is no such path. */
ARITHMETIC __u64 olia_quality(__u32 between, struct coupled_path path)
{
	__u64 packets = smaller_of(between, PATH_WINDOW_MAX) * (1 - is_same(path.window, 0));

	return (packets * packets << 24) / path.rtt_us;
}

/* The sets of paths that alpha is told by: those with the largest window, and the best ones without it. */
struct olia_sets {
	__u64 paths;
	__u64 largest; /* the largest window */
	__u64 widest;  /* how many have it */
	__u64 quality; /* of the best */
	__u64 better;  /* how many are among the best without the largest window */
};

ARITHMETIC struct olia_sets olia_sets(const struct coupled_path *paths, const __u32 *between)
{
	struct olia_sets sets = {};
	int index;

	for (index = 0; index < PATHS_MAX; index++) {
		struct coupled_path path = bounded_path(&paths[index]);

		sets.largest = larger_of(sets.largest, path.window);
		sets.quality = larger_of(sets.quality, olia_quality(between[index], path));
	}
	for (index = 0; index < PATHS_MAX; index++) {
		struct coupled_path path = bounded_path(&paths[index]);
		__u64 is_there = 1 - is_same(path.window, 0), is_largest = is_same(path.window, sets.largest);

		sets.paths += is_there;
		sets.widest += is_there * is_largest;
		sets.better += is_there * (1 - is_largest) * is_same(olia_quality(between[index], path), sets.quality);
	}
	return sets;
}

/* alpha in 65536ths: positive for a path that is among the best and has a smaller window, negative for those with the largest. */
ARITHMETIC __s64 olia_alpha(struct olia_sets sets, struct coupled_path own, __u32 between)
{
	own = bounded_path(&own);
	if (sets.better == 0 || sets.paths == 0)
		return 0;
	if (own.window == sets.largest)
		return sets.widest == 0 ? 0 : -(__s64)(ONE_PACKET / (sets.paths * sets.widest));
	return olia_quality(between, own) == sets.quality ? (__s64)(ONE_PACKET / (sets.paths * sets.better)) : 0;
}

/* Growth for each window of `own` acknowledged, in 65536ths of a packet: (x / sum x)^2 + alpha, x = w / rtt. */
ARITHMETIC __s64 olia_growth(const struct coupled_path *paths, const __u32 *between, struct coupled_path own, __u32 own_between)
{
	struct coupled_path best = fastest_path(paths, own);
	__u64 share = (part_of_rate(own, best) << RATE_BITS) / sum_of_rates(paths, best);

	return (__s64)(share * share >> (2 * RATE_BITS - FRACTION_BITS)) + olia_alpha(olia_sets(paths, between), own, own_between);
}

#endif
