/* SPDX-License-Identifier: GPL-2.0 */
/* The window of the congestion control `nodectl`: integer arithmetic alone, the same code in the kernel and in the tests. */
#ifndef NODECTL_WINDOW_H
#define NODECTL_WINDOW_H

#include "plain_types.h"

/* The window is rate x RTT, and above that: */
#define WINDOW_MARGIN_SHIFT 2	   /* 1/4 of rate x RTT: acknowledgements that come late or in clumps, packets under repair */
#define WINDOW_MARGIN_TIME_US 2000 /* the packets sent in 2 ms: a sleepy host at either end, where the RTT itself is tiny */
#define WINDOW_MARGIN_PACKETS 4	   /* two delayed acknowledgements of two packets each */

#define WINDOW_RATE_MAX 12500000000ULL /* bytes/s; 100 Gbit/s. Larger ones are taken for this, so that nothing overflows */
#define WINDOW_RTT_MAX_US 16777215ULL  /* the largest RTT a negotiation message may carry */
#define WINDOW_MAX 1000000ULL	       /* packets */

/* Congestion window in packets for `rate` (bytes of payload/s), the connection's smallest RTT `rtt_us` and its `mss` (bytes).
 *
 * Rounded up. The queue this connection can build anywhere is at most the part above rate x RTT: a quarter of it plus what is
 * sent in 2 ms plus 4 packets. At most WINDOW_MAX, at least WINDOW_MARGIN_PACKETS.
 */
ARITHMETIC __u32 nodectl_window(__u64 rate, __u64 rtt_us, __u32 mss)
{
	__u64 bytes, packets;

	if (mss == 0)
		mss = 1;
	if (rate > WINDOW_RATE_MAX)
		rate = WINDOW_RATE_MAX;
	if (rtt_us > WINDOW_RTT_MAX_US)
		rtt_us = WINDOW_RTT_MAX_US;
	/* at most 12.5e9 x (16.8e6 x 5/4 + 2000) = 2.7e17: fits */
	bytes = rate * (rtt_us + (rtt_us >> WINDOW_MARGIN_SHIFT) + WINDOW_MARGIN_TIME_US) / 1000000;
	packets = (bytes + mss - 1) / mss + WINDOW_MARGIN_PACKETS;
	return packets > WINDOW_MAX ? WINDOW_MAX : packets;
}

/* The window after an acknowledgement, in packets: from `window` to the `wanted` one (nodectl_window()), with `under_way` not acknowledged.
 *
 * After the rate was lowered, more is under way for one RTT than the new window allows. A window that shrank at once would
 * stop the sender altogether for a part of it. So it shrinks by one packet an acknowledgement: about as fast as the packets
 * under way do, paced at the new rate. It is never more than a window above that, whatever it was before.
 */
ARITHMETIC __u32 nodectl_next_window(__u32 window, __u32 wanted, __u32 under_way)
{
	__u32 most = under_way + wanted;

	if (wanted >= window)
		return wanted;
	return window - 1 < most ? window - 1 : most;
}

#endif
