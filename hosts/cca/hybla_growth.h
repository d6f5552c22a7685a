/* SPDX-License-Identifier: GPL-2.0 */
/* How fast TCP Hybla grows. Pure arithmetic. */
#ifndef HYBLA_GROWTH_H
#define HYBLA_GROWTH_H

#include "growth.h"

#define HYBLA_REFERENCE_US 25000 /* RTT_0: the RTT of the connection to be equalled */
#define HYBLA_RATIO_MAX 16	 /* rho is not taken for more (an RTT of 400 ms): 2^rho is a packet count */

/* rho = max(RTT / RTT_0, 1), in 65536ths, at most 16. */
ARITHMETIC __u64 hybla_ratio(__u32 rtt_us)
{
	__u64 ratio = ((__u64)rtt_us << FRACTION_BITS) / HYBLA_REFERENCE_US;

	if (ratio < ONE_PACKET)
		return ONE_PACKET;
	return ratio > HYBLA_RATIO_MAX * ONE_PACKET ? HYBLA_RATIO_MAX * ONE_PACKET : ratio;
}

/* 2^rho - 1: growth in slow start for each packet acknowledged, in 65536ths of a packet.
 *
 * The power of the fraction f is 1 + 0.69556 f + 0.22617 f^2 + 0.07827 f^3, which is off by 0.02 % at most.
 */
ARITHMETIC __u64 hybla_slow_start_growth(__u64 ratio)
{
	__u64 f = ratio & (ONE_PACKET - 1);
	__u64 power = ONE_PACKET + (f * (45584 + (f * (14822 + (f * 5130 >> FRACTION_BITS)) >> FRACTION_BITS)) >> FRACTION_BITS);

	return (power << (ratio >> FRACTION_BITS)) - ONE_PACKET;
}

/* rho^2: growth in congestion avoidance for each window acknowledged, in 65536ths of a packet. */
ARITHMETIC __u64 hybla_avoidance_growth(__u64 ratio)
{
	return ratio * ratio >> FRACTION_BITS;
}

#endif
