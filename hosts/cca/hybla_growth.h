/* SPDX-License-Identifier: GPL-2.0 */
/* How fast TCP Hybla grows. Pure arithmetic. */
#ifndef HYBLA_GROWTH_H
#define HYBLA_GROWTH_H

#include "powers.h"

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

/* 2^rho - 1: growth in slow start for each packet acknowledged, in 65536ths of a packet. */
ARITHMETIC __u64 hybla_slow_start_growth(__u64 ratio)
{
	return (power_of_fraction(ratio & (ONE_PACKET - 1)) << (ratio >> FRACTION_BITS)) - ONE_PACKET;
}

/* rho^2: growth in congestion avoidance for each window acknowledged, in 65536ths of a packet. */
ARITHMETIC __u64 hybla_avoidance_growth(__u64 ratio)
{
	return ratio * ratio >> FRACTION_BITS;
}

#endif
