/* SPDX-License-Identifier: GPL-2.0 */
/* The smallest RTT of a connection and of each of its rounds, for schemes that tell by them how many packets stand in queues. */
#ifndef ROUND_RTTS_H
#define ROUND_RTTS_H

#include "tcp_window.h"

#define SAMPLES_ENOUGH 3 /* fewer could all be of delayed acknowledgements */

struct round_rtts {
	__u32 base_us;	/* smallest of the connection; 0: none yet */
	__u32 least_us; /* smallest of this round; 0: none yet */
	__u32 samples;	/* of this round */
};

/* To be called in `pkts_acked`. */
static __always_inline void note_round_rtt(struct round_rtts *rtts, const struct ack_sample *sample)
{
	__s32 rtt_us = sample->rtt_us;

	if (rtt_us <= 0)
		return;
	if (rtts->base_us == 0 || (__u32)rtt_us < rtts->base_us)
		rtts->base_us = rtt_us;
	if (rtts->least_us == 0 || (__u32)rtt_us < rtts->least_us)
		rtts->least_us = rtt_us;
	rtts->samples++;
}

/* To be called where a round ends. */
static __always_inline void forget_round_rtts(struct round_rtts *rtts)
{
	rtts->least_us = 0;
	rtts->samples = 0;
}

#endif
