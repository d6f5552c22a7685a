// SPDX-License-Identifier: GPL-2.0
/* qtcolfair: TCP QtColFair, QtCol that measures the smallest RTT anew every 10 s.
 *
 * Source: D. Ngwenya, M. Hlophe, B. Maharaj, "TCP Congestion Control Algorithm Using Queueing Theory-Based Optimality Equation",
 * Electronics 14 (2025) 263, section 4.3.2 and Algorithm 2. The step is qtcol's (qtcol_step.h); added to it:
 *
 *   - every 10 s the window is 4 packets for 200 ms, and longer until no more than 4 are in flight; the smallest RTT is measured anew;
 *   - the step after that aims at L_pred = 0.9 x the window from before, which leaves room to slower flows;
 *   - a path that has become longer: three steps in a row with less than half the former window in flight and an RTT above twice the
 *     target. The last RTT is then taken for the smallest, and measured anew as above.
 *
 * "The former window" is that before the last probe. Until there was one, which the text leaves open, it is the window of the last step
 * that saw an RTT up to the target. So a change of path is noticed in the first 10 s too.
 *
 * The authors' ns-3 code ends a probe after one smallest RTT and has the detection of a longer path commented out. The text is clear about
 * both, and is followed. Points that it leaves open are taken from the code, as in qtcol.bpf.c.
 */
#include "qtcol_rounds.h"

SETTABLE(probe_interval, 1000, 10000, 500, 1000000); /* s between two measurements of the smallest RTT */

#define PROBE_DURATION_US 200000ULL
#define CHANGE_STEPS 3

struct qtcolfair {
	__u64 measured_us;   /* when the smallest RTT was last begun to be measured */
	struct qtcol_rounds rounds;
	__u32 prior_window; /* before the last probe; until there was one, at the last step that saw an RTT up to the target */
	__u8 change_steps;   /* steps in a row that looked like a longer path */
	__u8 is_probing;
	__u8 has_probed;
	__u8 is_recovering; /* the next step is the first after a probe */
};

CALLBACK(void, qtcolfair, init)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct qtcolfair *state = STATE_OF(SOCK_OF(ctx), qtcolfair);

	begin_round(tp, &state->rounds.round_end);
	state->measured_us = tp->tcp_mstamp;
}

CALLBACK(void, qtcolfair, pkts_acked)
{
	qtcol_note(tcp_sk(SOCK_OF(ctx)), &STATE_OF(SOCK_OF(ctx), qtcolfair)->rounds, SAMPLE_OF(ctx));
}

static __always_inline void begin_probe(struct tcp_sock *tp, struct qtcolfair *state)
{
	state->is_probing = 1;
	state->has_probed = 1;
	state->change_steps = 0;
	state->measured_us = tp->tcp_mstamp;
	state->rounds.rtts.least_us = state->rounds.rtts.last_us;
	set_window(tp, QTCOL_WINDOW_MIN);
}

/* Whether this acknowledgement belongs to a probe: then the window stays at 4. */
static __always_inline _Bool probes(struct tcp_sock *tp, struct qtcolfair *state)
{
	__u64 measured_ago_us = tp->tcp_mstamp - state->measured_us;

	if (!state->is_probing) {
		if (measured_ago_us <= probe_interval * 1000ULL)
			return 0;
		state->prior_window = tp->snd_cwnd;
		begin_probe(tp, state);
		return 1;
	}
	if (measured_ago_us < PROBE_DURATION_US || packets_in_flight(tp) > QTCOL_WINDOW_MIN) {
		set_window(tp, QTCOL_WINDOW_MIN);
		return 1;
	}
	state->is_probing = 0;
	state->is_recovering = 1;
	return 0;
}

/* Whether this step, like two before it, finds the path longer than it was. */
static __always_inline _Bool has_become_longer(const struct tcp_sock *tp, struct qtcolfair *state)
{
	const struct rtts *rtts = &state->rounds.rtts;

	if (!state->has_probed && !qtcol_is_above_target(rtts->last_us, rtts->least_us, alpha))
		state->prior_window = tp->snd_cwnd;
	if (2 * packets_in_flight(tp) >= state->prior_window || qtcol_is_below_target(rtts->last_us, rtts->least_us, 2 * alpha)) {
		state->change_steps = 0;
		return 0;
	}
	state->change_steps++;
	return state->change_steps >= CHANGE_STEPS;
}

/* The first step after a probe goes back to where the window was before, whether or not it limits the sender now. */
static __always_inline void go_back(struct tcp_sock *tp, struct qtcolfair *state)
{
	struct qtcol_path path = qtcol_path_of(tp, &state->rounds);

	qtcol_end_slow_start(tp, path);
	set_window(tp, qtcol_next_window(path, qtcol_after_probe(path, state->prior_window)));
	state->rounds.samples = 0;
	state->is_recovering = 0;
}

CALLBACK(void, qtcolfair, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct qtcolfair *state = STATE_OF(SOCK_OF(ctx), qtcolfair);

	if (probes(tp, state) || !qtcol_step_is_due(tp, &state->rounds, ACKED_OF(ctx)))
		return;
	if (has_become_longer(tp, state))
		begin_probe(tp, state);
	else if (state->is_recovering)
		go_back(tp, state);
	else
		qtcol_take_step(tp, &state->rounds);
}

HALVES_AFTER_LOSS(qtcolfair)
UNDOES_LIKE_STANDARD_TCP(qtcolfair)

REGISTER(qtcolfair, HAS(qtcolfair, init), HAS(qtcolfair, cong_avoid), HAS(qtcolfair, pkts_acked));
