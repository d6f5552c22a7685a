/* SPDX-License-Identifier: GPL-2.0 */
/* The common part of the schemes that count packets a window: fixed-point growth. Pure arithmetic. */
#ifndef GROWTH_H
#define GROWTH_H

#include "plain_types.h"

#define FRACTION_BITS 16
#define ONE_PACKET (1ULL << FRACTION_BITS) /* rates of growth are in 65536ths of a packet */
#define WINDOW_MIN 2			   /* packets; smaller ones make no difference that acknowledgements could show */
#define GROWTH_MAX (1ULL << 40)		   /* 16.8 million packets a window: any more is taken for this */
#define ACKED_MAX (1U << 20)

/* Packets by which `window` grows when `acked` packets are acknowledged and a whole window of them makes it grow by `per_window`
 * (in 65536ths of a packet). The rest stays in `credit` for the next call, so nothing is lost by rounding. It is a part of one
 * packet, also when the window has become smaller since.
 */
ARITHMETIC __u32 growth_packets(__u64 *credit, __u64 per_window, __u32 window, __u32 acked)
{
	__u64 one, packets;

	if (window == 0)
		window = 1;
	if (per_window > GROWTH_MAX)
		per_window = GROWTH_MAX;
	if (acked > ACKED_MAX)
		acked = ACKED_MAX;
	one = (__u64)window << FRACTION_BITS;
	if (*credit >= one)
		*credit = one - 1;
	*credit += per_window * acked;
	packets = *credit / one;
	*credit -= packets * one;
	return packets > ACKED_MAX ? ACKED_MAX : (__u32)packets;
}

/* Half the window, as standard TCP takes after a loss; at least 2. */
ARITHMETIC __u32 half_window(__u32 window)
{
	return window / 2 < WINDOW_MIN ? WINDOW_MIN : window / 2;
}

#endif
