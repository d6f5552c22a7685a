/* SPDX-License-Identifier: GPL-2.0 */
/* The frame of schemes that are told their rate by the sending program, which asks the network for it. There is nothing to find out, and a
 * lost packet says nothing about the rate.
 *
 *     pacing rate = the told rate
 *     cwnd        = rate x min RTT, and a margin (nodectl_window.h)
 *
 * The window only keeps the data under way bounded should the path turn out narrower than agreed; it does not set the pace.
 */
#ifndef TOLD_RATE_H
#define TOLD_RATE_H

#include "scheme.h"
#include "nodectl_window.h"

/* Paces at `rate` (bytes of payload/s), and returns the window for it; 0: no RTT is known yet. */
static __always_inline __u32 pace_at(struct sock *sk, unsigned long rate)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 rtt_us = tp->rtt_min.s[0].v;
	__u32 window;

	sk->sk_pacing_rate = rate;
	if (rtt_us == RTT_UNKNOWN)
		return 0;
	window = nodectl_window(rate, rtt_us, tp->mss_cache);
	return window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
}

/* The callbacks of such a scheme but for `init`. `follow_rate(sk)` paces at the rate that holds now and returns the window for it; 0: there
 * is none.
 *
 * cong_control is called after every acknowledgement, in every state of loss recovery. Its other arguments differ between kernels and are
 * not used. The callback cwnd_event is for the first packet after silence: without it, the first RTT of a connection would be held to the
 * initial window. Losses do not change the threshold; slow start has no part here.
 */
#define KEEPS_TO_TOLD_RATE(scheme, follow_rate)                                                                \
	CALLBACK(void, scheme, cong_control)                                                                   \
	{                                                                                                      \
		struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));                                                    \
		__u32 window = follow_rate(SOCK_OF(ctx));                                                      \
                                                                                                               \
		if (window != 0)                                                                               \
			tp->snd_cwnd = nodectl_next_window(tp->snd_cwnd, window, tp->packets_out);             \
	}                                                                                                      \
                                                                                                               \
	CALLBACK(void, scheme, cwnd_event)                                                                     \
	{                                                                                                      \
		__u32 window;                                                                                  \
                                                                                                               \
		if ((__u32)ctx[1] != CA_EVENT_TX_START)                                                        \
			return;                                                                                \
		window = follow_rate(SOCK_OF(ctx));                                                            \
		if (window != 0)                                                                               \
			tcp_sk(SOCK_OF(ctx))->snd_cwnd = window;                                               \
	}                                                                                                      \
                                                                                                               \
	CALLBACK(__u32, scheme, ssthresh)                                                                      \
	{                                                                                                      \
		return TCP_INFINITE_SSTHRESH;                                                                  \
	}                                                                                                      \
                                                                                                               \
	CALLBACK(__u32, scheme, undo_cwnd)                                                                     \
	{                                                                                                      \
		return tcp_sk(SOCK_OF(ctx))->snd_cwnd;                                                         \
	}

/* A scheme whose connections pace at SO_MAX_PACING_RATE, and are otherwise as they would be without any scheme. */
#define PACES_AT_MAX_PACING_RATE(scheme)                                                                             \
	static __always_inline __u32 scheme##_follow_rate(struct sock *sk)                                           \
	{                                                                                                            \
		unsigned long rate = sk->sk_max_pacing_rate;                                                         \
                                                                                                                     \
		return rate == PACING_RATE_UNSET ? 0 : pace_at(sk, rate);                                            \
	}                                                                                                            \
                                                                                                                     \
	KEEPS_TO_TOLD_RATE(scheme, scheme##_follow_rate)                                                             \
                                                                                                                     \
	/* Chosen in the middle of a connection: no leftovers of the former one. Chosen at the start: nothing changes. */ \
	CALLBACK(void, scheme, init)                                                                                 \
	{                                                                                                            \
		tcp_sk(SOCK_OF(ctx))->snd_ssthresh = TCP_INFINITE_SSTHRESH;                                          \
		scheme##_follow_rate(SOCK_OF(ctx));                                                                  \
	}

#endif
