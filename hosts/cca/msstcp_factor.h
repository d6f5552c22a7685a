/* SPDX-License-Identifier: GPL-2.0 */
/* The growth factor of MSS-TCP. Pure arithmetic. */
#ifndef MSSTCP_FACTOR_H
#define MSSTCP_FACTOR_H

#include "growth.h"
#include "square_root.h"

#define MSSTCP_RATIO_MAX 1024 /* larger time ratios are taken for this */

/* Equations (4) and (5): Factor = sqrt(MSS x (RTT_max + RTT_base) / RTT_cur), in 65536ths of a packet.
 *
 * MSS in bytes (see msstcp.bpf.c), RTTs in us. Rounded down; off by less than 2^-15 of itself plus 1/65536.
 */
ARITHMETIC __u64 msstcp_factor(__u32 mss_bytes, __u32 rtt_max_us, __u32 rtt_base_us, __u32 rtt_us)
{
	__u64 ratio = ((__u64)rtt_max_us + rtt_base_us) << FRACTION_BITS;

	if (mss_bytes > 65535)
		mss_bytes = 65535;
	ratio /= rtt_us == 0 ? 1 : rtt_us;
	if (ratio > MSSTCP_RATIO_MAX * ONE_PACKET)
		ratio = MSSTCP_RATIO_MAX * ONE_PACKET;
	return whole_square_root((mss_bytes * ratio) << FRACTION_BITS); /* 16 + 26 + 16 bits at most */
}

#endif
