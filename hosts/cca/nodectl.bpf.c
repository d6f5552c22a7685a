// SPDX-License-Identifier: GPL-2.0
/* nodectl: paces at the rate that the sender has negotiated with the network (Nodectl).
 *
 * Source: H. Liu, H. Ni, R. Han, "A Transmission Rate
 * Control Method for Active Congestion Reduction Based on Network Node Bandwidth Allocation", Future Internet 15 (2023) 385.
 *
 * The rate comes from outside: the sending program negotiates it and sets SO_MAX_PACING_RATE. So there is nothing to find out
 * here, and a lost packet says nothing about the rate:
 *
 *     pacing rate = sk_max_pacing_rate
 *     cwnd        = rate x min RTT, and a margin (nodectl_window.h)
 *
 * The window only keeps what is under way bounded should the path turn out narrower than agreed; it does not set the pace.
 * Until a rate is set, the connection keeps its initial window and is not paced.
 *
 * The subflows of an MPTCP connection have a rate each, in a map (subflow_rates.h). Until a subflow has its own, its pacing rate is 0, and
 * MPTCP's scheduler gives no data to a subflow with that.
 */
#include "subflow_rates.h"
#include "nodectl_window.h"

/* Paces at the rate that is set now, and returns the window for it; 0: no rate is set, or no RTT is known yet. */
static __always_inline __u32 follow_rate(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	unsigned long rate = sk->sk_max_pacing_rate;
	__u32 rtt_us = tp->rtt_min.s[0].v;
	__u32 window;

	if (is_subflow(sk)) {
		rate = subflow_rate(sk);
		sk->sk_pacing_rate = rate;
		sk->sk_pacing_status = SK_PACING_NEEDED;
		if (rate == SUBFLOW_RATE_NONE)
			return 0;
	}
	if (rate == PACING_RATE_UNSET)
		return 0;
	sk->sk_pacing_rate = rate;
	if (rtt_us == RTT_UNKNOWN)
		return 0;
	window = nodectl_window(rate, rtt_us, tp->mss_cache);
	return window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
}

/* After every acknowledgement, in every state of loss recovery. Its other arguments differ between kernels and are not used. */
CALLBACK(void, nodectl, cong_control)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	__u32 window = follow_rate(SOCK_OF(ctx));

	if (window != 0)
		tp->snd_cwnd = nodectl_next_window(tp->snd_cwnd, window, tp->packets_out);
}

/* The first packet after silence: without this, the first RTT of a connection would be held to the initial window. */
CALLBACK(void, nodectl, cwnd_event)
{
	__u32 window;

	if ((__u32)ctx[1] != CA_EVENT_TX_START)
		return;
	window = follow_rate(SOCK_OF(ctx));
	if (window != 0)
		tcp_sk(SOCK_OF(ctx))->snd_cwnd = window;
}

/* Losses do not change the threshold; slow start has no part here. */
CALLBACK(__u32, nodectl, ssthresh)
{
	return TCP_INFINITE_SSTHRESH;
}

CALLBACK(__u32, nodectl, undo_cwnd)
{
	return tcp_sk(SOCK_OF(ctx))->snd_cwnd;
}

CALLBACK(void, nodectl, init)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	__u32 window;

	/* Chosen in the middle of a connection: no leftovers of the former one. Chosen at the start: nothing changes. */
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	window = follow_rate(SOCK_OF(ctx));
	if (window != 0 && is_subflow(SOCK_OF(ctx)))
		tp->snd_cwnd = window;
}

REGISTER(nodectl, HAS(nodectl, init), HAS(nodectl, cong_control), HAS(nodectl, cwnd_event));
