/* SPDX-License-Identifier: GPL-2.0 */
/* Growth, penalty and loss response of TCP Libra. Pure arithmetic; see libra.bpf.c for the equations. */
#ifndef LIBRA_WINDOW_H
#define LIBRA_WINDOW_H

#include "powers.h"

#define LIBRA_RTT_MAX_US (1U << 21) /* longer RTTs are taken for this, 2.1 s */
#define LIBRA_ALPHA_MAX ((1ULL << 31) - 1)
#define LIBRA_PER_MILLE 1000
#define LIBRA_MILLIONTHS 1000000ULL
#define LIBRA_RTT_BITS 12 /* T^2 / (T + T0) is in 4096ths of a us */

enum libra_penalty_kind { LIBRA_LINEAR = 1, LIBRA_QUADRATIC = 2, LIBRA_EXPONENTIAL = 3 }; /* rows of table II */

/* Table II, in 65536ths; k2 in thousandths (100 at most). */
ARITHMETIC __u32 libra_penalty(__u32 kind, __u32 k2, __u32 rtt_us, __u32 rtt_min_us, __u32 rtt_max_us)
{
	__u64 queued = 0; /* (T - T_min) / (T_max - T_min) in 65536ths */
	__u64 room;

	if (k2 > 100 * LIBRA_PER_MILLE)
		k2 = 100 * LIBRA_PER_MILLE;
	if (rtt_us > rtt_max_us)
		rtt_us = rtt_max_us;
	if (rtt_us > rtt_min_us)
		queued = ((__u64)(rtt_us - rtt_min_us) << FRACTION_BITS) / (rtt_max_us - rtt_min_us);
	room = ONE_PACKET - queued;
	if (kind == LIBRA_EXPONENTIAL)
		return falling_exponential((__u32)(k2 * queued / LIBRA_PER_MILLE));
	if (kind == LIBRA_QUADRATIC)
		room = room * (ONE_PACKET + room) >> FRACTION_BITS;
	return (__u32)(k2 * room / LIBRA_PER_MILLE);
}

/* alpha = k1 C P, in 65536ths of a packet a second; k1 in thousandths, C in kbit/s (k1 multiplies Mbit/s), P in 65536ths. */
ARITHMETIC __u64 libra_alpha(__u32 k1, __u32 capacity_kbps, __u32 penalty)
{
	__u64 scaled;

	if (capacity_kbps > 1U << 27)
		capacity_kbps = 1U << 27;
	if (k1 > 1U << 20)
		k1 = 1U << 20;
	scaled = ((__u64)k1 * capacity_kbps << FRACTION_BITS) / LIBRA_MILLIONTHS;
	if (scaled > LIBRA_ALPHA_MAX)
		scaled = LIBRA_ALPHA_MAX;
	scaled = scaled * penalty >> FRACTION_BITS;
	return scaled > LIBRA_ALPHA_MAX ? LIBRA_ALPHA_MAX : scaled;
}

/* alpha T^2 / (T + T0): growth for each window acknowledged, in 65536ths of a packet. */
ARITHMETIC __u64 libra_growth(__u64 alpha, __u32 rtt_us, __u32 t0_us)
{
	__u64 rtt = rtt_us > LIBRA_RTT_MAX_US ? LIBRA_RTT_MAX_US : rtt_us;
	__u64 time = (rtt * rtt << LIBRA_RTT_BITS) / (rtt + t0_us + (rtt + t0_us == 0));

	if (alpha > LIBRA_ALPHA_MAX)
		alpha = LIBRA_ALPHA_MAX;
	return alpha * time / (LIBRA_MILLIONTHS << LIBRA_RTT_BITS); /* 31 + 33 bits */
}

/* W - T1 W / (2 (T + T0)); at least 2. */
ARITHMETIC __u32 libra_after_loss(__u32 window, __u32 rtt_us, __u32 t0_us, __u32 t1_us)
{
	__u64 whole = 2 * ((__u64)rtt_us + t0_us);
	__u64 lost = (__u64)window * t1_us / (whole == 0 ? 1 : whole);

	return lost + WINDOW_MIN > window ? WINDOW_MIN : window - (__u32)lost;
}

#endif
