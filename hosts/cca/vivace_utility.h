/* SPDX-License-Identifier: GPL-2.0 */
/* PCC Vivace's utility and steps. Pure arithmetic; rates are in 65536ths of a Mbit/s, constants in thousandths, all else in 65536ths. */
#ifndef VIVACE_UTILITY_H
#define VIVACE_UTILITY_H

#include "branchless.h"
#include "powers.h"

#define VIVACE_UNIT 1000
#define VIVACE_RATE_MAX (1ULL << 34) /* 262 Gbit/s, and more counts as this */
#define VIVACE_RATE_MIN (ONE_PACKET / 10)
#define VIVACE_RISE_MAX (4 * ONE_PACKET)
#define VIVACE_STEPS_MAX 16	     /* of the boundary */
#define VIVACE_AMPLIFIER_MAX 63
#define TIME_UNITS 4096		     /* of an RTT, for the regression */
#define SAMPLES_MAX 8192	     /* of a round, for the same */
#define RTT_CHANGE_MAX (1 << 19)     /* us */

/* The RTTs of a round, as sums from which their slope over time follows. */
struct slope {
	__u64 time_squared;
	__s64 time_rtt, rtt; /* RTTs less the first one */
	__u32 first_us, time;
	__u32 count;
};

/* log2 of a whole number from 1, off by 0.00015 at most. */
ARITHMETIC __u64 vivace_log2(__u64 x)
{
	__u64 bits = 0, f, is;
	int step;

	for (step = 5; step >= 0; step--) {
		is = 1 - is_less(x >> bits >> (1 << step), 1);
		bits += is << step;
	}
	f = ((x << (63 - bits)) << 1) >> (64 - FRACTION_BITS);
	f += (f * (ONE_PACKET - f) >> FRACTION_BITS) * (28710 - (f * (15512 - (f * 5263 >> FRACTION_BITS)) >> FRACTION_BITS)) >> FRACTION_BITS;
	return (bits << FRACTION_BITS) + f;
}

/* x^0.9 Mbit/s: 2^(0.9 (log2 x - 16) + 16), since x has 16 bits of fraction. */
ARITHMETIC __u64 vivace_power(__u64 x)
{
	__u64 exponent = vivace_log2(x == 0 ? 1 : x) * 9 / 10 + 16 * ONE_PACKET / 10;

	return power_of_fraction(exponent & (ONE_PACKET - 1)) << (exponent >> FRACTION_BITS) >> FRACTION_BITS;
}

/* x^0.9 - b x rise - c x lost, where `rise` is that of the RTT over time and `lost` a part of the packets. */
ARITHMETIC __s64 vivace_utility(__u64 rate, __u32 rise, __u32 lost, __u32 b, __u32 c)
{
	__u64 delay_cost, loss_cost;

	if (rate > VIVACE_RATE_MAX)
		rate = VIVACE_RATE_MAX;
	if (rise > VIVACE_RISE_MAX)
		rise = VIVACE_RISE_MAX;
	delay_cost = (rate * rise >> FRACTION_BITS) * b / VIVACE_UNIT;
	loss_cost = (rate * lost >> FRACTION_BITS) * c / VIVACE_UNIT;
	return (__s64)vivace_power(rate) - (__s64)delay_cost - (__s64)loss_cost;
}

/* One more RTT; `unit_us` is what TIME_UNITS are, the RTT when the round began. */
ARITHMETIC void slope_note(struct slope *slope, __u32 passed_us, __u32 rtt_us, __u32 unit_us)
{
	__u64 time = (__u64)passed_us * TIME_UNITS / (unit_us == 0 ? 1 : unit_us);
	__s64 change;

	if (slope->count >= SAMPLES_MAX)
		return;
	if (slope->count == 0)
		slope->first_us = rtt_us;
	change = (__s64)rtt_us - slope->first_us;
	if (change > RTT_CHANGE_MAX)
		change = RTT_CHANGE_MAX;
	if (change < -RTT_CHANGE_MAX)
		change = -RTT_CHANGE_MAX;
	if (time > 2 * TIME_UNITS)
		time = 2 * TIME_UNITS;
	slope->count++;
	slope->time += (__u32)time;
	slope->time_squared += time * time;
	slope->rtt += change;
	slope->time_rtt += (__s64)time * change;
}

/* By how much the RTT rises with time, by linear regression; 0 where it falls, or rises by less than `least`. */
ARITHMETIC __u32 slope_rise(const struct slope *slope, __u32 unit_us, __u32 least)
{
	__s64 above = (__s64)slope->count * slope->time_rtt - (__s64)slope->time * slope->rtt;
	__u64 below = (__u64)slope->count * slope->time_squared - (__u64)slope->time * slope->time, rise;

	if (slope->count < 3 || above <= 0 || below == 0)
		return 0;
	rise = above < 1LL << 46 ? ((__u64)above << FRACTION_BITS) / below : (__u64)above / ((below >> FRACTION_BITS) + 1);
	if (rise > 1ULL << 40)
		rise = 1ULL << 40;
	rise = rise * TIME_UNITS / (unit_us == 0 ? 1 : unit_us);
	if (rise < least)
		return 0;
	return rise < VIVACE_RISE_MAX ? (__u32)rise : VIVACE_RISE_MAX;
}

/* m(tau): 1, 2, 3, 5, 7, ... after so many decisions for the same direction. */
ARITHMETIC __u32 vivace_amplifier(__u32 decisions)
{
	__u32 amplifier = decisions <= 3 ? decisions : 2 * decisions - 3;

	return amplifier < VIVACE_AMPLIFIER_MAX ? amplifier : VIVACE_AMPLIFIER_MAX;
}

/* m theta (u+ - u-) / (2 epsilon rate), without its sign: the change of the rate before it is bounded. */
ARITHMETIC __u64 vivace_step(__u64 difference, __u64 rate, __u32 epsilon, __u32 theta, __u32 amplifier)
{
	__u64 distance = 2 * rate * epsilon / VIVACE_UNIT, step;

	if (difference > 1ULL << 44)
		difference = 1ULL << 44;
	step = (difference << FRACTION_BITS) / (distance == 0 ? 1 : distance);
	if (step > VIVACE_RATE_MAX)
		step = VIVACE_RATE_MAX;
	return step * amplifier * theta / VIVACE_UNIT;
}

/* The largest change after `steps` decisions that were bounded: (omega + steps delta) of the rate. */
ARITHMETIC __u64 vivace_boundary(__u64 rate, __u32 omega, __u32 delta, __u32 steps)
{
	return rate * (omega + delta * steps) / VIVACE_UNIT;
}

#endif
