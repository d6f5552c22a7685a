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
 * The authors' ns-3 code ends a probe after one smallest RTT and has the detection of a longer path commented out; the text is clear
 * about both, and is followed. What it leaves open is taken from the code, as in qtcol.bpf.c.
 */
#include "tcp_window.h"
#include "qtcol_step.h"
#include "settable.h"

char _license[] SEC("license") = "GPL";

SETTABLE(alpha, 1000, 1200, 1001, 100000); /* target RTT over the smallest RTT; the paper finds 1.2 stable and shows 1.5 too */
SETTABLE(probe_interval, 1000, 10000, 500, 1000000); /* s between two measurements of the smallest RTT */

#define SAMPLES_ENOUGH 3
#define PROBE_DURATION_US 200000ULL
#define CHANGE_STEPS 3

struct qtcolfair {
	__u64 measured_us;    /* when the smallest RTT was last begun to be measured */
	__u32 round_end;
	__u32 rtt_us;	      /* last; 0: none yet */
	__u32 rtt_min_us;     /* 0: none yet */
	__u32 samples;	      /* since the last step */
	__u32 prior_window;   /* before the last probe; 0: there was none yet */
	__u8 change_steps;    /* steps in a row that looked like a longer path */
	__u8 is_probing;
	__u8 is_recovering; /* the next step is the first after a probe */
};

SEC("struct_ops/qtcolfair_init")
void qtcolfair_init(__u64 *ctx)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct qtcolfair *state = STATE_OF(SOCK_OF(ctx), qtcolfair);

	begin_round(tp, &state->round_end);
	state->measured_us = tp->tcp_mstamp;
}

SEC("struct_ops/qtcolfair_pkts_acked")
void qtcolfair_pkts_acked(__u64 *ctx)
{
	struct qtcolfair *state = STATE_OF(SOCK_OF(ctx), qtcolfair);
	__s32 rtt_us = SAMPLE_OF(ctx)->rtt_us;

	if (rtt_us <= 0)
		return;
	state->rtt_us = rtt_us;
	if (state->rtt_min_us == 0 || (__u32)rtt_us < state->rtt_min_us)
		state->rtt_min_us = rtt_us;
	state->samples++;
}

static __always_inline void begin_probe(struct tcp_sock *tp, struct qtcolfair *state)
{
	state->is_probing = 1;
	state->change_steps = 0;
	state->measured_us = tp->tcp_mstamp;
	state->rtt_min_us = state->rtt_us;
	set_window(tp, QTCOL_WINDOW_MIN);
}

/* Whether this step, like two before it, finds the path longer than it was. */
static __always_inline _Bool has_become_longer(struct tcp_sock *tp, struct qtcolfair *state)
{
	if (2 * packets_in_flight(tp) >= state->prior_window ||
	    qtcol_is_below_target(state->rtt_us, state->rtt_min_us, 2 * alpha)) {
		state->change_steps = 0;
		return 0;
	}
	state->change_steps++;
	return state->change_steps >= CHANGE_STEPS;
}

static __always_inline void step(struct tcp_sock *tp, struct qtcolfair *state)
{
	struct qtcol_path path = {
		.window = tp->snd_cwnd,
		.in_flight = packets_in_flight(tp),
		.rtt_us = state->rtt_us,
		.rtt_min_us = state->rtt_min_us,
		.target_share = alpha,
	};
	__u32 predicted = qtcol_predict(path);

	if (state->is_recovering) {
		predicted = state->prior_window * 9 / 10;
		if (predicted < QTCOL_WINDOW_MIN)
			predicted = QTCOL_WINDOW_MIN;
		state->is_recovering = 0;
	}
	if (qtcol_sees_a_queue(state->rtt_us, state->rtt_min_us) && tp->snd_ssthresh > tp->snd_cwnd / 10 * 9)
		tp->snd_ssthresh = tp->snd_cwnd / 10 * 9 < WINDOW_MIN ? WINDOW_MIN : tp->snd_cwnd / 10 * 9;
	set_window(tp, qtcol_next_window(path, predicted));
	state->samples = 0;
}

SEC("struct_ops/qtcolfair_cong_avoid")
void qtcolfair_cong_avoid(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct qtcolfair *state = STATE_OF(sk, qtcolfair);
	__u64 measured_ago_us = tp->tcp_mstamp - state->measured_us;

	if (state->is_probing) {
		if (measured_ago_us < PROBE_DURATION_US || packets_in_flight(tp) > QTCOL_WINDOW_MIN) {
			set_window(tp, QTCOL_WINDOW_MIN);
			return;
		}
		state->is_probing = 0;
		state->is_recovering = 1;
	} else if (measured_ago_us > probe_interval * 1000ULL) {
		state->prior_window = tp->snd_cwnd;
		begin_probe(tp, state);
		return;
	}
	if ((__s32)(tp->snd_una - state->round_end) >= 0) {
		if (state->samples < SAMPLES_ENOUGH)
			return;
		begin_round(tp, &state->round_end);
		if (has_become_longer(tp, state))
			begin_probe(tp, state);
		else
			step(tp, state);
	} else if (in_slow_start(tp) && qtcol_is_below_target(state->rtt_us, state->rtt_min_us, alpha)) {
		if (is_window_limited(tp))
			tcp_slow_start(tp, ACKED_OF(ctx));
		begin_round(tp, &state->round_end);
	}
}

SEC("struct_ops/qtcolfair_ssthresh")
__u32 qtcolfair_ssthresh(__u64 *ctx)
{
	return half_window(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

SEC("struct_ops/qtcolfair_undo_cwnd")
__u32 qtcolfair_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC(".struct_ops")
struct tcp_congestion_ops qtcolfair = {
	.init = (void *)qtcolfair_init,
	.cong_avoid = (void *)qtcolfair_cong_avoid,
	.pkts_acked = (void *)qtcolfair_pkts_acked,
	.ssthresh = (void *)qtcolfair_ssthresh,
	.undo_cwnd = (void *)qtcolfair_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "qtcolfair",
};
