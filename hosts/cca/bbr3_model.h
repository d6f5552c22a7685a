/* SPDX-License-Identifier: GPL-2.0 */
/* BBRv3's units and the arithmetic of its model. Pure arithmetic; gains and shares are in thousandths. */
#ifndef BBR3_MODEL_H
#define BBR3_MODEL_H

#include "plain_types.h"

#define BBR3_UNIT 1000
#define BBR3_RATE_BITS 24	    /* rates are packets in 2^-24 us */
#define BBR3_RATE_MAX (1U << 30)    /* 64 packets a us, and more counts as this */
#define BBR3_NONE (~0U)		    /* a limit that does not hold now */
#define BBR3_WINDOW_MIN 4	    /* packets, at all times */
#define BBR3_PACING_PERMILLE 990    /* of the estimate, so that the queue drains */
#define BBR3_WINDOW_MAX (1U << 28)

/* `delivered` packets in `interval_us`. */
ARITHMETIC __u32 bbr3_rate(__u32 delivered, __u32 interval_us)
{
	__u64 rate = ((__u64)delivered << BBR3_RATE_BITS) / (interval_us == 0 ? 1 : interval_us);

	return rate < BBR3_RATE_MAX ? (__u32)rate : BBR3_RATE_MAX;
}

/* Bytes of payload a second of a rate, times the gain, less the margin. */
ARITHMETIC __u64 bbr3_pacing_rate(__u32 rate, __u32 packet_bytes, __u32 gain)
{
	__u64 scaled = (__u64)rate * packet_bytes * gain / BBR3_UNIT * BBR3_PACING_PERMILLE / 1000;

	return (scaled * 15625) >> (BBR3_RATE_BITS - 6); /* 15625 2^6 = 10^6 */
}

/* Packets, rounded up: rate x RTT x gain. */
ARITHMETIC __u32 bbr3_packets(__u32 rate, __u32 rtt_us, __u32 gain)
{
	__u64 packets = (((__u64)rate * rtt_us >> 8) * gain / BBR3_UNIT + (1U << (BBR3_RATE_BITS - 8)) - 1) >> (BBR3_RATE_BITS - 8);

	return packets < BBR3_WINDOW_MAX ? (__u32)packets : BBR3_WINDOW_MAX;
}

ARITHMETIC __u32 bbr3_share(__u32 value, __u32 share)
{
	return value == BBR3_NONE ? value : (__u32)((__u64)value * share / BBR3_UNIT);
}

/* The most in flight that leaves others room: less by a share of the limit, which is a packet at least. */
ARITHMETIC __u32 bbr3_with_headroom(__u32 limit, __u32 headroom)
{
	__u32 room = bbr3_share(limit, headroom);

	if (limit == BBR3_NONE)
		return limit;
	if (room < 1)
		room = 1;
	return limit < BBR3_WINDOW_MIN + room ? BBR3_WINDOW_MIN : limit - room;
}

/* Packets lost since the one was sent whose acknowledgement has just come: all since this round began, and of those in the round
 * before, the ones after its sending. `gone` of `all` packets: how much of the round has passed.
 */
ARITHMETIC __u32 bbr3_lost_since(__u32 this_round, __u32 round_before, __u32 gone, __u32 all)
{
	if (gone >= all)
		return this_round;
	return this_round + (__u32)((__u64)round_before * (all - gone) / all);
}

/* Packets that are to be acknowledged before the limit is raised by one: the window in the first round, half of it in the second ... */
ARITHMETIC __u32 bbr3_acks_to_raise(__u32 window, __u32 rounds)
{
	__u32 packets = rounds > 30 ? 0 : window >> rounds;

	return packets == 0 ? 1 : packets;
}

#endif
