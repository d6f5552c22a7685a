/* SPDX-License-Identifier: GPL-2.0 */
/* The rate of a window, for schemes that pace. Pure arithmetic. */
#ifndef WINDOW_RATE_H
#define WINDOW_RATE_H

#include "plain_types.h"

/* Bytes of payload a second of a window that is sent in one RTT; 0: no RTT is known yet. */
ARITHMETIC __u64 window_rate(__u32 window, __u32 packet_bytes, __u32 rtt_us)
{
	return rtt_us == 0 ? 0 : (__u64)window * packet_bytes * 1000000 / rtt_us;
}

#endif
