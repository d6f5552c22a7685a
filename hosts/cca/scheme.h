/* SPDX-License-Identifier: GPL-2.0 */
/* The frame of a scheme: how its callbacks begin, those that many schemes have alike, and how it is registered.
 *
 * A scheme's C file has its own callbacks, CALLBACK(type, scheme, callback), and at its end REGISTER(scheme, HAS(scheme, callback), ...).
 * Every scheme has `ssthresh` and `undo_cwnd`, since the kernel wants them, and either `cong_avoid` or `cong_control`. The frame decides
 * the form of these three (frame.h).
 */
#ifndef SCHEME_H
#define SCHEME_H

#include "tcp_window.h"

/* ssthresh of standard TCP: half the window. */
#define HALVES_AFTER_LOSS(scheme)                                 \
	CALLBACK(__u32, scheme, ssthresh)                         \
	{                                                         \
		return half_window(tcp_sk(SOCK_OF(ctx))->snd_cwnd); \
	}

/* undo_cwnd of standard TCP: a loss was none after all, and the window is the one before it. */
#define UNDOES_LIKE_STANDARD_TCP(scheme)                  \
	CALLBACK(__u32, scheme, undo_cwnd)                \
	{                                                 \
		return tcp_reno_undo_cwnd(SOCK_OF(ctx)); \
	}

/* RTTs of a connection in us; 0: none yet. */
struct rtts {
	__u32 last_us;
	__u32 least_us;
	__u32 most_us;
};

static __always_inline void note_rtt_us(struct rtts *rtts, __u32 rtt_us)
{
	if (rtt_us == 0)
		return;
	rtts->last_us = rtt_us;
	if (rtts->least_us == 0 || rtt_us < rtts->least_us)
		rtts->least_us = rtt_us;
	if (rtt_us > rtts->most_us)
		rtts->most_us = rtt_us;
}

/* To be called in `pkts_acked`. Returns whether this acknowledgement gave an RTT. */
static __always_inline _Bool note_rtt(struct rtts *rtts, const struct ack_sample *sample)
{
	if (sample->rtt_us <= 0)
		return 0;
	note_rtt_us(rtts, sample->rtt_us);
	return 1;
}

/* The beginning of `cong_avoid`: standard slow start. Returns how many of the `acked` packets are left for congestion avoidance; none if
 * the window is not what limits the sender.
 */
static __always_inline __u32 after_slow_start(struct tcp_sock *tp, __u32 acked)
{
	if (!is_window_limited(tp))
		return 0;
	return in_slow_start(tp) ? tcp_slow_start(tp, acked) : acked;
}

#endif
