// SPDX-License-Identifier: GPL-2.0
/* compound: Compound TCP, standard TCP's window and one more that grows fast while nothing stands in queues.
 *
 * Source: K. Tan, J. Song, Q. Zhang, M. Sridharan, "A Compound TCP Approach for High-Speed and Long Distance Networks", IEEE INFOCOM 2006;
 * the tuning of gamma and the smallest window are of draft-sridharan-tcpm-ctcp-02.
 *
 * The window is w = cwnd + dwnd. In congestion avoidance, with Diff = (w / BaseRTT - w / RTT) BaseRTT packets in queues:
 *
 *     cwnd + 1 / w            for each packet acknowledged; half of it after a loss
 *     dwnd + (alpha w^k - 1)^+    for a round in which Diff < gamma; k = 3/4, so that square roots are enough
 *     dwnd - zeta Diff            for one with more; zeta = 1
 *     w (1 - beta) - cwnd / 2     is dwnd after a loss
 *
 * No delay window is below 0. A time-out and silence end it. It does not grow where w < 38 packets, nor in slow start. Diff is of the
 * smallest RTT of a round.
 *
 * gamma is 30 packets at first. After a loss it goes a quarter of the way to 3/4 of the packets that standard TCP alone would have in the
 * queue: those of cwnd in the last round. It stays between `gamma_low` and `gamma`. The draft leaves the quarter open.
 *
 * Here the growth of a round is spread over its acknowledgements, since a burst would queue by itself.
 */
#include "scheme.h"
#include "round_rtts.h"
#include "compound_window.h"
#include "settable.h"

SETTABLE(alpha, 1024, 128, 1, 10240); /* share of w^k that the window grows by in a round */
SETTABLE(beta, 1024, 512, 1, 1023);	 /* share of the window that a loss takes */
SETTABLE(gamma, 1, 30, 1, 10000);    /* packets in queues that end the growth: at first, and at most */
SETTABLE(gamma_low, 1, 5, 1, 10000); /* at least; the same as gamma: it is not tuned */

#define LOW_WINDOW 38

struct compound {
	__u64 credit;	    /* of the loss window */
	__u64 delay_credit;
	__u64 increase;	    /* of the delay window in this round, in 65536ths of a packet */
	__u32 round_end;
	struct round_rtts rtts;
	__u32 delay_window; /* dwnd; the rest of the socket's window is cwnd */
	__u32 before_loss;  /* dwnd before it */
	__u32 limit;	    /* gamma in 256ths of a packet */
	__u32 queued_alone; /* packets of cwnd in queues in the last round, and one; 0: none measured since the last loss */
};

static __always_inline void forget_round(struct sock *sk)
{
	struct compound *state = STATE_OF(sk, compound);

	begin_round(tcp_sk(sk), &state->round_end);
	state->increase = 0;
	forget_round_rtts(&state->rtts);
}

CALLBACK(void, compound, init)
{
	STATE_OF(SOCK_OF(ctx), compound)->limit = gamma * 256;
	forget_round(SOCK_OF(ctx));
}

CALLBACK(void, compound, pkts_acked)
{
	note_round_rtt(&STATE_OF(SOCK_OF(ctx), compound)->rtts, SAMPLE_OF(ctx));
}

static __always_inline void adjust_delay_window(struct tcp_sock *tp, struct compound *state)
{
	__u32 queued = compound_queued(tp->snd_cwnd, state->rtts.least_us, state->rtts.base_us);

	state->queued_alone = 1 + compound_queued(tp->snd_cwnd - state->delay_window, state->rtts.least_us, state->rtts.base_us);
	if ((__u64)queued * 256 < state->limit) {
		state->increase = tp->snd_cwnd < LOW_WINDOW ? 0 : compound_increase(tp->snd_cwnd, alpha);
		return;
	}
	if (queued > state->delay_window)
		queued = state->delay_window;
	state->delay_window -= queued;
	set_window(tp, tp->snd_cwnd - queued);
	keep_out_of_slow_start(tp);
}

CALLBACK(void, compound, cong_avoid)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct compound *state = STATE_OF(sk, compound);
	__u32 acked, grown, more;

	if (state->delay_window > tp->snd_cwnd)
		state->delay_window = tp->snd_cwnd;
	if (round_is_over(tp, &state->round_end)) {
		state->increase = 0;
		if (!in_slow_start(tp) && state->rtts.samples >= SAMPLES_ENOUGH)
			adjust_delay_window(tp, state);
		forget_round_rtts(&state->rtts);
	}
	acked = after_slow_start(tp, ACKED_OF(ctx));
	if (acked == 0)
		return;
	grown = growth_packets(&state->credit, ONE_PACKET, tp->snd_cwnd, acked);
	more = growth_packets(&state->delay_credit, state->increase, tp->snd_cwnd, acked);
	state->delay_window += more;
	set_window(tp, tp->snd_cwnd + grown + more);
}

CALLBACK(__u32, compound, ssthresh)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct compound *state = STATE_OF(SOCK_OF(ctx), compound);
	__u32 own, window;

	if (state->delay_window > tp->snd_cwnd)
		state->delay_window = tp->snd_cwnd;
	own = tp->snd_cwnd - state->delay_window;
	if (state->queued_alone != 0) {
		state->limit = compound_gamma(state->limit, state->queued_alone - 1, gamma_low, gamma);
		state->queued_alone = 0;
	}
	state->before_loss = state->delay_window;
	state->delay_window = compound_after_loss(tp->snd_cwnd, state->delay_window, beta);
	window = own / 2 + state->delay_window;
	return window < WINDOW_MIN ? WINDOW_MIN : window;
}

CALLBACK(__u32, compound, undo_cwnd)
{
	STATE_OF(SOCK_OF(ctx), compound)->delay_window = STATE_OF(SOCK_OF(ctx), compound)->before_loss;
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

/* Measurements across a loss recovery are not of one round. */
CALLBACK(void, compound, set_state)
{
	if ((__u8)ctx[1] == TCP_CA_Loss)
		STATE_OF(SOCK_OF(ctx), compound)->delay_window = 0;
	forget_round(SOCK_OF(ctx));
}

CALLBACK(void, compound, cwnd_event)
{
	if ((__u32)ctx[1] == CA_EVENT_CWND_RESTART)
		STATE_OF(SOCK_OF(ctx), compound)->delay_window = 0;
}

REGISTER(compound, HAS(compound, init), HAS(compound, cong_avoid), HAS(compound, pkts_acked), HAS(compound, set_state), HAS_EVENTS(compound));
