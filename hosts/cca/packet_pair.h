/* SPDX-License-Identifier: GPL-2.0 */
/* Capacity of the narrowest link by packet pairs, from acknowledgements alone. Pure arithmetic.
 *
 * Two acknowledgements whose packets left together and whose arrivals lie apart: the narrowest link spread them, and the gap is the time
 * it takes for the packets of the second. Other traffic can widen or narrow a gap; the pair that waited least tells most (R. Kapoor, L. Chen,
 * L. Lao, M. Gerla, M. Sanadidi, "CapProbe", SIGCOMM 2004). So pairs count whose sum of RTTs is the smallest so far; those within 1/16 of it
 * are averaged, since clocks and interrupts blur each single gap.
 */
#ifndef PACKET_PAIR_H
#define PACKET_PAIR_H

#include "plain_types.h"

#define PAIR_GAP_MAX_US (1U << 20)
#define PAIR_RTT_MAX_US (1U << 24)
#define PAIR_PACKETS_MAX 16
#define PAIR_SPACING_BITS 10 /* spacing is in 1024ths of a us */
#define PAIR_WEIGHT_BITS 3   /* a new pair counts 1/8 */
#define PAIR_TOGETHER 4	     /* sent together: no further apart than this part of the gap they arrived with */

struct packet_pairs {
	__u32 least_us; /* smallest sum of RTTs; 0: no pair yet */
	__u32 spacing;	/* time the narrowest link takes for one packet, in 1024ths of a us */
};

/* A pair: acknowledgements `gap_us` apart with RTTs `first_us` and `second_us`, the second for `packets` packets. Returns whether it counted. */
ARITHMETIC __u32 packet_pair_add(struct packet_pairs *pairs, __u32 gap_us, __u32 packets, __u32 first_us, __u32 second_us)
{
	__s64 sent_apart = (__s64)gap_us + first_us - second_us;
	__u32 sum, spacing;

	if (gap_us == 0 || gap_us > PAIR_GAP_MAX_US || packets == 0 || packets > PAIR_PACKETS_MAX)
		return 0;
	if (first_us == 0 || first_us > PAIR_RTT_MAX_US || second_us > PAIR_RTT_MAX_US)
		return 0;
	if (sent_apart < 0 || sent_apart * PAIR_TOGETHER > gap_us)
		return 0;
	sum = first_us + second_us;
	spacing = (gap_us << PAIR_SPACING_BITS) / packets;
	if (pairs->least_us == 0 || sum < pairs->least_us - pairs->least_us / 16) {
		pairs->least_us = sum;
		pairs->spacing = spacing;
		return 1;
	}
	if (sum > pairs->least_us + pairs->least_us / 16)
		return 0;
	if (sum < pairs->least_us)
		pairs->least_us = sum;
	pairs->spacing = pairs->spacing - (pairs->spacing >> PAIR_WEIGHT_BITS) + (spacing >> PAIR_WEIGHT_BITS);
	return 1;
}

/* Capacity in kbit/s of payload, 0 if there was no pair yet. */
ARITHMETIC __u32 packet_pair_capacity_kbps(const struct packet_pairs *pairs, __u32 mss_bytes)
{
	__u64 kilobits = (__u64)(mss_bytes > 65535 ? 65535 : mss_bytes) * 8 * 1000 << PAIR_SPACING_BITS;

	if (pairs->least_us == 0)
		return 0;
	kilobits /= pairs->spacing == 0 ? 1 : pairs->spacing;
	return kilobits > 0xffffffffULL ? 0xffffffffU : (__u32)kilobits;
}

#endif
