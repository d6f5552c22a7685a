/* SPDX-License-Identifier: GPL-2.0 */
/* Delivery rates as Linux samples them (net/ipv4/tcp_rate.c; draft-ietf-ccwg-bbr, "Delivery Rate Samples"), for kernel_frame.c. */
#ifndef RATE_SAMPLES_H
#define RATE_SAMPLES_H

#include "tcp_window.h"

#define TRANSMISSIONS_KEPT (1 << 16) /* more than any test has under way */

/* What is remembered of a packet until it is acknowledged. */
struct transmission {
	__u64 sent_us;
	__u64 flight_sent_us;	 /* sending of the first packet of the flight that it is sampled with */
	__u64 delivered_us;	 /* when the connection had delivered ... */
	__u32 delivered;	 /* ... so many packets */
	_Bool is_app_limited;
};

struct rate_sampler {
	struct transmission *kept;
	__u32 sent;		 /* transmissions */
	__u64 flight_sent_us;
	__u64 delivered_us;
};

static void sampler_sent(struct rate_sampler *sampler, const struct tcp_sock *tp, __u64 now_us)
{
	if (sampler->kept == NULL)
		sampler->kept = calloc(TRANSMISSIONS_KEPT, sizeof(*sampler->kept));
	if (packets_in_flight(tp) == 0)
		sampler->flight_sent_us = sampler->delivered_us = now_us;
	sampler->kept[sampler->sent++ % TRANSMISSIONS_KEPT] = (struct transmission){
		now_us, sampler->flight_sent_us, sampler->delivered_us, tp->delivered, tp->app_limited != 0};
}

/* The application has nothing more to send: what comes until all this is delivered says nothing of the path. */
static void sampler_ran_dry(struct tcp_sock *tp)
{
	__u32 until = tp->delivered + packets_in_flight(tp);

	tp->app_limited = until != 0 ? until : 1;
}

/* The sample of an acknowledgement that delivered `number`, the latest of its transmissions. `tp` counts it already. */
static struct rate_sample sampler_acked(struct rate_sampler *sampler, struct tcp_sock *tp, __u64 now_us, __u32 number)
{
	const struct transmission *latest = &sampler->kept[number % TRANSMISSIONS_KEPT];
	__u64 sending_us = latest->sent_us - latest->flight_sent_us, acknowledging_us = now_us - latest->delivered_us;
	struct rate_sample sample = {.prior_delivered = latest->delivered, .is_app_limited = latest->is_app_limited};

	if (tp->app_limited != 0 && (__s32)(tp->delivered - tp->app_limited) > 0)
		tp->app_limited = 0;
	sample.delivered = (__s32)(tp->delivered - latest->delivered);
	sample.interval_us = (long)(sending_us > acknowledging_us ? sending_us : acknowledging_us);
	if (sample.interval_us < tp->rtt_min.s[0].v)
		sample.interval_us = -1; /* no sample, as in Linux: such a rate would be too high */
	sampler->flight_sent_us = latest->sent_us;
	sampler->delivered_us = now_us;
	return sample;
}

#endif
