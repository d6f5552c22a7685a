// SPDX-License-Identifier: GPL-2.0
/* vegas: TCP Vegas, keeps 2 to 4 packets of its own in the queues.
 *
 * Source: L. Brakmo, L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC 13 (1995) 1465.
 *
 * Once a round trip, with BaseRTT the smallest RTT ever and RTT the smallest of this round:
 *
 *     Diff = (w / BaseRTT - w / RTT) BaseRTT          packets of ours in queues
 *     Diff < alpha: w + 1;    Diff > beta: w - 1;     alpha = 2, beta = 4 ("Vegas-2,4")
 *
 * In slow start the window doubles every other round trip, and Diff > gamma = 1 ends it. The window then falls back to the one
 * that queues nothing, plus one (the paper says only that linear growth begins; so does Linux's own Vegas). A loss halves the window. The
 * paper's earlier retransmissions are left to the kernel's loss recovery. A round with fewer than three RTT samples, which
 * could all be of delayed acknowledgements, is treated as standard TCP would.
 *
 * Linux's own vegas differs: its Diff is w (RTT - BaseRTT) / BaseRTT, which is larger by RTT / BaseRTT. Its slow start doubles every
 * round. It forgets BaseRTT when the sender was silent, and outside the kernel's state Open it is standard TCP.
 */
#include "scheme.h"
#include "round_rtts.h"
#include "vegas_round.h"
#include "settable.h"

SETTABLE(alpha, 1, 2, 1, 1000); /* packets in queues: grows below */
SETTABLE(beta, 1, 4, 1, 1000);	 /* packets in queues: shrinks above */
SETTABLE(gamma, 1, 1, 1, 1000); /* packets in queues: slow start ends above */

struct vegas {
	__u64 credit;
	__u32 round_end;
	struct round_rtts rtts;
	__u8 is_resting_round; /* slow start grows every other round */
};

CALLBACK(void, vegas, init)
{
	begin_round(tcp_sk(SOCK_OF(ctx)), &STATE_OF(SOCK_OF(ctx), vegas)->round_end);
}

CALLBACK(void, vegas, pkts_acked)
{
	note_round_rtt(&STATE_OF(SOCK_OF(ctx), vegas)->rtts, SAMPLE_OF(ctx));
}

CALLBACK(void, vegas, cong_avoid)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct vegas *state = STATE_OF(sk, vegas);
	_Bool is_over = round_is_over(tp, &state->round_end);
	_Bool is_measured = state->rtts.samples >= SAMPLES_ENOUGH;

	if (is_over && is_measured) {
		_Bool is_starting = in_slow_start(tp);

		if (!is_starting)
			set_window(tp, vegas_next_window(tp->snd_cwnd, state->rtts.least_us, state->rtts.base_us, alpha, beta));
		else if (vegas_queues_more(tp->snd_cwnd, state->rtts.least_us, state->rtts.base_us, gamma)) {
			set_window(tp, vegas_slow_start_end(tp->snd_cwnd, state->rtts.least_us, state->rtts.base_us));
			is_starting = 0;
		}
		if (!is_starting)
			keep_out_of_slow_start(tp);
	}
	if (is_window_limited(tp)) {
		if (in_slow_start(tp)) {
			if (!state->is_resting_round)
				tcp_slow_start(tp, ACKED_OF(ctx));
		} else if (is_over && !is_measured) {
			set_window(tp, tp->snd_cwnd + 1);
		}
	}
	if (is_over) {
		state->is_resting_round = !state->is_resting_round;
		forget_round_rtts(&state->rtts);
	}
}

HALVES_AFTER_LOSS(vegas)
UNDOES_LIKE_STANDARD_TCP(vegas)

/* Measurements across a loss recovery are not of one round. */
CALLBACK(void, vegas, set_state)
{
	struct vegas *state = STATE_OF(SOCK_OF(ctx), vegas);

	begin_round(tcp_sk(SOCK_OF(ctx)), &state->round_end);
	forget_round_rtts(&state->rtts);
}

REGISTER(vegas, HAS(vegas, init), HAS(vegas, cong_avoid), HAS(vegas, pkts_acked), HAS(vegas, set_state));
