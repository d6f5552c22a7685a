/* SPDX-License-Identifier: GPL-2.0 */
/* The delay window of Compound TCP. Pure arithmetic. */
#ifndef COMPOUND_WINDOW_H
#define COMPOUND_WINDOW_H

#include "growth.h"
#include "square_root.h"

#define COMPOUND_UNIT 1024	       /* alpha and beta are in 1024ths */
#define COMPOUND_WINDOW_MAX ((1U << 20) - 1) /* packets: larger windows are taken for this one */

/* (alpha w^k - 1)^+ in 65536ths of a packet, with k = 3/4: by how much the delay window grows in a round without a queue. */
ARITHMETIC __u64 compound_increase(__u32 window, __u32 alpha)
{
	__u64 root, power;

	if (window > COMPOUND_WINDOW_MAX)
		window = COMPOUND_WINDOW_MAX;
	root = whole_square_root((__u64)window << 2 * FRACTION_BITS);
	power = whole_square_root(window * root << FRACTION_BITS) * alpha / COMPOUND_UNIT; /* 20 + 26 + 16 bits under the root */
	return power > ONE_PACKET ? power - ONE_PACKET : 0;
}

/* Diff: how many packets of `window` stand in queues, (w / BaseRTT - w / RTT) BaseRTT. */
ARITHMETIC __u32 compound_queued(__u32 window, __u32 rtt_us, __u32 base_us)
{
	if (rtt_us <= base_us)
		return 0;
	return (__u32)((__u64)window * (rtt_us - base_us) / rtt_us);
}

/* The delay window after a loss: what is missing from half the loss window to w (1 - beta). */
ARITHMETIC __u32 compound_after_loss(__u32 window, __u32 delay_window, __u32 beta)
{
	__u64 whole = (__u64)window * (COMPOUND_UNIT - beta) / COMPOUND_UNIT;
	__u32 half = (window - delay_window) / 2;

	return whole > half ? (__u32)whole - half : 0;
}

/* gamma after a loss, in 256ths of a packet: a quarter of the way to three quarters of the queue that standard TCP had. */
ARITHMETIC __u32 compound_gamma(__u32 gamma, __u32 queued, __u32 least, __u32 most)
{
	__u64 sample = (__u64)queued * 256 * 3 / 4, next = ((__u64)gamma * 3 + sample) / 4;

	if (next < (__u64)least * 256)
		return least * 256;
	return next > (__u64)most * 256 ? most * 256 : (__u32)next;
}

#endif
