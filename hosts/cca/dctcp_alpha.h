/* SPDX-License-Identifier: GPL-2.0 */
/* The response of DCTCP to marked packets (RFC 8257, section 3.3). Pure arithmetic. */
#ifndef DCTCP_ALPHA_H
#define DCTCP_ALPHA_H

#include "growth.h"

#define ALPHA_BITS 20
#define ALPHA_ONE (1U << ALPHA_BITS) /* alpha and M are in 1/2^20 */
#define G_BITS 10
#define G_ONE (1U << G_BITS)	     /* g is in 1/1024 */

/* The share of packets that are marked, over the past and over the last window:
 *
 *     alpha <- alpha (1 - g) + g M,    M = marked / delivered
 *
 * Rounded down, so that without marks it comes to 0. A window in which nothing was delivered says nothing.
 */
ARITHMETIC __u32 dctcp_alpha(__u32 alpha, __u32 marked, __u32 delivered, __u32 g)
{
	__u64 share;

	if (delivered == 0)
		return alpha;
	if (marked > delivered)
		marked = delivered;
	if (alpha > ALPHA_ONE)
		alpha = ALPHA_ONE;
	if (g > G_ONE)
		g = G_ONE;
	share = ((__u64)marked << ALPHA_BITS) / delivered;
	return ((__u64)alpha * (G_ONE - g) + share * g) >> G_BITS;
}

/* The window after a window in which packets were marked:
 *
 *     w <- w (1 - alpha / 2)
 *
 * The RFC counts bytes. Here windows are whole packets. A cut's part of a packet stays in `owed` for the next cut: otherwise small
 * windows with a small alpha would never be cut.
 */
ARITHMETIC __u32 dctcp_reduced_window(__u32 *owed, __u32 window, __u32 alpha)
{
	__u64 cut;
	__u32 packets;

	if (alpha > ALPHA_ONE)
		alpha = ALPHA_ONE;
	cut = (__u64)window * alpha + *owed;
	packets = cut >> (ALPHA_BITS + 1);
	*owed = cut & ((1U << (ALPHA_BITS + 1)) - 1);
	return window < packets + WINDOW_MIN ? WINDOW_MIN : window - packets;
}

#endif
