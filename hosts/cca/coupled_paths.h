/* SPDX-License-Identifier: GPL-2.0 */
/* Windows of the subflows of one MPTCP connection, and how they grow together. Pure arithmetic. */
#ifndef COUPLED_PATHS_H
#define COUPLED_PATHS_H

#include "branchless.h"
#include "growth.h"

#define PATHS_MAX 8		  /* the most that a Linux MPTCP connection can have */
#define PATH_WINDOW_MAX (1U << 19) /* packets; larger windows and RTTs (4.2 s) are taken for these */
#define PATH_RTT_MAX_US (1U << 22)

struct coupled_path {
	__u32 window; /* packets; 0: there is no such subflow */
	__u32 rtt_us;
};

/* Bounded, since another CPU may be writing the original. */
ARITHMETIC struct coupled_path bounded_path(const struct coupled_path *path)
{
	struct coupled_path bounded = {
		(__u32)smaller_of(path->window, PATH_WINDOW_MAX),
		(__u32)larger_of(1, smaller_of(path->rtt_us, PATH_RTT_MAX_US)),
	};

	return bounded;
}

/* w_total, in packets. */
ARITHMETIC __u32 coupled_total(const struct coupled_path *paths)
{
	__u32 total = 0;
	int index;

	for (index = 0; index < PATHS_MAX; index++)
		total += bounded_path(&paths[index]).window;
	return total;
}

/* RFC 6356: growth of `own` for each window of it acknowledged, in 65536ths of a packet:
 *
 *     min(alpha w / w_total, 1),   alpha = w_total max_k(w_k / rtt_k^2) / (sum_k w_k / rtt_k)^2
 *
 * With b the subflow of the maximum, alpha w / w_total = w w_b / S^2 where S = sum_k w_k rtt_b / rtt_k. Off by 1 % at most from windows of
 * 2 packets up.
 */
ARITHMETIC __u64 lia_growth(const struct coupled_path *paths, struct coupled_path own)
{
	struct coupled_path best = bounded_path(&own);
	__u64 sum = 0; /* S in 256ths of a packet */
	__u64 own_share, best_share, growth;
	int index;

	own = best;
	for (index = 0; index < PATHS_MAX; index++) {
		struct coupled_path path = bounded_path(&paths[index]);

		if (path.window * ((__u64)best.rtt_us * best.rtt_us) > best.window * ((__u64)path.rtt_us * path.rtt_us))
			best = path;
	}
	for (index = 0; index < PATHS_MAX; index++) {
		struct coupled_path path = bounded_path(&paths[index]);

		sum += (((__u64)path.window * best.rtt_us) << 8) / path.rtt_us;
	}
	if (sum == 0)
		return ONE_PACKET;
	own_share = ((__u64)own.window << 32) / sum;   /* w / S, 24 bits of fraction */
	best_share = ((__u64)best.window << 40) / sum; /* w_b / S, 32 bits of fraction, 1 at most */
	if (own_share > 1ULL << 31)
		own_share = 1ULL << 31;
	if (best_share > 1ULL << 32)
		best_share = 1ULL << 32;
	growth = own_share * best_share >> (24 + 32 - FRACTION_BITS);
	return growth > ONE_PACKET ? ONE_PACKET : growth;
}

/* COUPLED: 1 / w_total for each packet acknowledged, so w / w_total for each window of them. */
ARITHMETIC __u64 coupled_growth(const struct coupled_path *paths, struct coupled_path own)
{
	__u32 total = coupled_total(paths);
	__u32 window = bounded_path(&own).window;

	return total <= window ? ONE_PACKET : ((__u64)window << FRACTION_BITS) / total;
}

/* COUPLED: a loss takes half of w_total from the subflow it happened on, which leaves it 2 packets at least. */
ARITHMETIC __u32 coupled_after_loss(const struct coupled_path *paths, __u32 window)
{
	__u32 total = coupled_total(paths);
	__u32 lost = (total < window ? window : total) / 2;

	return window < lost + WINDOW_MIN ? WINDOW_MIN : window - lost;
}

#endif
