// SPDX-License-Identifier: GPL-2.0
/* rcp: paces at the rate that the routers on the way have last stamped (RCP).
 *
 * Source: N. Dukkipati, "Rate Control Protocol (RCP): Congestion control to make flows complete quickly", PhD thesis, Stanford (2007).
 *
 * The rate comes from outside: the sending program asks the routers for it every round trip (docs/rcp.md) and sets SO_MAX_PACING_RATE, and
 * told_rate.h keeps to it. Until the first answer, the connection keeps its initial window and is not paced. One path alone: the subflows of
 * an MPTCP connection take no SO_MAX_PACING_RATE.
 */
#include "told_rate.h"

static __always_inline __u32 follow_rate(struct sock *sk)
{
	unsigned long rate = sk->sk_max_pacing_rate;

	return rate == PACING_RATE_UNSET ? 0 : pace_at(sk, rate);
}

KEEPS_TO_TOLD_RATE(rcp, follow_rate)

/* Chosen in the middle of a connection: no leftovers of the former one. Chosen at the start: nothing changes. */
CALLBACK(void, rcp, init)
{
	tcp_sk(SOCK_OF(ctx))->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	follow_rate(SOCK_OF(ctx));
}

REGISTER(rcp, HAS(rcp, init), HAS(rcp, cong_control), HAS_EVENTS(rcp));
