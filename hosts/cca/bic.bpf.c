// SPDX-License-Identifier: GPL-2.0
/* bic: Binary Increase Congestion control.
 *
 * Source: L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance Networks", INFOCOM 2004.
 *
 * After a loss at window w_max the window becomes w_max (1 - beta). Then, each RTT, it goes half of the way to w_max, but by
 * S_min at least and by S_max at most: a binary search. Having come to w_max without a loss it goes on by 1, 2, 4, ... S_max packets
 * an RTT. If a loss comes before the former w_max was reached, the next search aims at the middle of the new one and the reduced
 * window (the paper's "fast convergence"). Below 14 packets: standard TCP.
 *
 * Constants and arithmetic are in bic_search.h. They are the paper's (section V). Linux's own bic keeps 0.8 of the window after a loss
 * instead of 7/8, and grows by 16 packets an RTT at most instead of 32. It goes a quarter of the way to w_max instead of half, and from
 * there to it in 20 equal steps. A retransmission time-out starts the search anew, which the paper leaves open.
 */
#include "scheme.h"
#include "bic_search.h"

struct bic {
	__u64 credit;
	struct bic_search search;
};

CALLBACK(void, bic, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct bic *state = STATE_OF(SOCK_OF(ctx), bic);
	__u32 acked = after_slow_start(tp, ACKED_OF(ctx));

	if (acked)
		grow(tp, &state->credit, bic_growth(&state->search, tp->snd_cwnd), acked);
}

CALLBACK(__u32, bic, ssthresh)
{
	return bic_after_loss(&STATE_OF(SOCK_OF(ctx), bic)->search, tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

/* A retransmission time-out means that the path has changed: the search begins anew. */
CALLBACK(void, bic, set_state)
{
	struct bic *state = STATE_OF(SOCK_OF(ctx), bic);

	if ((__u8)ctx[1] != TCP_CA_Loss)
		return;
	state->credit = 0;
	state->search.maximum = 0;
	state->search.probe_step = 0;
}

UNDOES_LIKE_STANDARD_TCP(bic)

REGISTER(bic, HAS(bic, cong_avoid), HAS(bic, set_state));
