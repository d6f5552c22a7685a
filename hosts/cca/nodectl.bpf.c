// SPDX-License-Identifier: GPL-2.0
/* nodectl: paces at the rate that the sender has negotiated with the network (Nodectl).
 *
 * Source: H. Liu, H. Ni, R. Han, "A Transmission Rate
 * Control Method for Active Congestion Reduction Based on Network Node Bandwidth Allocation", Future Internet 15 (2023) 385.
 *
 * The rate comes from outside, and told_rate.h keeps to it. The sending program negotiates it and sets SO_MAX_PACING_RATE, or the host
 * service does and writes it into a map (subflow_rates.h). The lower one counts. Until a rate is set, the connection keeps its initial
 * window and is not paced.
 *
 * The subflows of an MPTCP connection have a rate each, in the same map. Until a subflow has its own, its pacing rate is 0, and MPTCP's
 * scheduler gives no data to a subflow with that.
 */
#include "settable.h"
#include "subflow_rates.h"
#include "told_rate.h"

CHOICE(variant, paper, deployable, fair_level); /* which Nodectl (docs/protocol.md): of switches, controller and hosts; nothing to the program itself */
SETTABLE(window_factor, 1, 1, 1, 100); /* times the bound of the window: with more, only the rate limits a sender whose RTT grows */
CHOICE(first_rtt, initial_window, wait);	/* until there is a rate: the host service's window for ordinary programs (docs/host-service.md) */

/* Paces at the rate that is set now, and returns the window for it; 0: no rate is set, or no RTT is known yet. */
static __always_inline __u32 follow_rate(struct sock *sk)
{
	unsigned long rate = sk->sk_max_pacing_rate, written = subflow_rate(sk);

	if (is_subflow(sk)) {
		rate = written;
		sk->sk_pacing_rate = rate;
		sk->sk_pacing_status = SK_PACING_NEEDED;
		if (rate == SUBFLOW_RATE_NONE)
			return 0;
	} else if (written != SUBFLOW_RATE_NONE) {
		if (written < rate)
			rate = written;
		if (sk->sk_pacing_status == SK_PACING_NONE) /* else fq paces */
			sk->sk_pacing_status = SK_PACING_NEEDED;
	}
	return rate == PACING_RATE_UNSET ? 0 : pace_at(sk, rate) * window_factor;
}

KEEPS_TO_TOLD_RATE(nodectl, follow_rate)

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

REGISTER(nodectl, HAS(nodectl, init), HAS(nodectl, cong_control), HAS_EVENTS(nodectl));
