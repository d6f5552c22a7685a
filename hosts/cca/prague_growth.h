/* SPDX-License-Identifier: GPL-2.0 */
/* Prague's independence of the RTT (draft-briscoe-iccrg-prague-congestion-control, section 2.4.4). Pure arithmetic. */
#ifndef PRAGUE_GROWTH_H
#define PRAGUE_GROWTH_H

#include "growth.h"

/* The RTT, in us, of which a connection behaves: its own, but no shorter than the virtual one. */
ARITHMETIC __u32 prague_virtual_rtt_us(__u32 rtt_us, __u32 least_us)
{
	return rtt_us > least_us ? rtt_us : least_us;
}

/* Growth for a window of acknowledged packets, in 65536ths of a packet:
 *
 *     (RTT / virtual RTT)^2
 *
 * A window grows by RTT / virtual RTT as often as it is acknowledged in a virtual RTT, which makes one factor; the rate is the window
 * over the RTT, which makes the other. So rates grow as those of connections whose RTT is the virtual one.
 */
ARITHMETIC __u64 prague_growth(__u32 rtt_us, __u32 virtual_us)
{
	__u64 ratio;

	if (rtt_us == 0 || rtt_us >= virtual_us)
		return ONE_PACKET;
	ratio = ((__u64)rtt_us << FRACTION_BITS) / virtual_us;
	return ratio * ratio >> FRACTION_BITS;
}

#endif
