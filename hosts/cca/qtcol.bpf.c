// SPDX-License-Identifier: GPL-2.0
/* qtcol: TCP QtCol, steers the RTT to alpha times the smallest RTT.
 *
 * Source: D. Ngwenya, M. Hlophe, B. Maharaj, "TCP Congestion Control Algorithm Using Queueing Theory-Based Optimality Equation",
 * Electronics 14 (2025) 263, Algorithm 1. Once a round trip:
 *
 *     L_pred = L + W - W R / (alpha R_min)        packets in flight that fit the target
 *     W_new  = W + (R_min / R) (L_pred - L)
 *
 * W window, L packets in flight, R last RTT, R_min smallest RTT of the connection. What the text leaves open is taken from the
 * authors' ns-3 code: a step needs more than two RTT samples since the last one; slow start goes on only while the RTT is below the
 * target, and each of its acknowledgements puts the next step off by a round; when a step sees an RTT more than 1 % above the
 * smallest, the threshold is brought down to 9/10 of the window, which ends slow start. A loss halves the window (the authors'
 * class is derived from NewReno). alpha can be set.
 */
#include "tcp_window.h"
#include "qtcol_step.h"
#include "settable.h"

char _license[] SEC("license") = "GPL";

SETTABLE(alpha, 1000, 1200, 1001, 100000); /* target RTT over the smallest RTT; the paper finds 1.2 stable and shows 1.5 too */

#define SAMPLES_ENOUGH 3

struct qtcol {
	__u32 round_end;
	__u32 rtt_us;	  /* last; 0: none yet */
	__u32 rtt_min_us; /* 0: none yet */
	__u32 samples;	  /* since the last step */
};

SEC("struct_ops/qtcol_init")
void qtcol_init(__u64 *ctx)
{
	begin_round(tcp_sk(SOCK_OF(ctx)), &STATE_OF(SOCK_OF(ctx), qtcol)->round_end);
}

SEC("struct_ops/qtcol_pkts_acked")
void qtcol_pkts_acked(__u64 *ctx)
{
	struct qtcol *state = STATE_OF(SOCK_OF(ctx), qtcol);
	__s32 rtt_us = SAMPLE_OF(ctx)->rtt_us;

	if (rtt_us <= 0)
		return;
	state->rtt_us = rtt_us;
	if (state->rtt_min_us == 0 || (__u32)rtt_us < state->rtt_min_us)
		state->rtt_min_us = rtt_us;
	state->samples++;
}

static __always_inline void step(struct tcp_sock *tp, struct qtcol *state)
{
	struct qtcol_path path = {
		.window = tp->snd_cwnd,
		.in_flight = packets_in_flight(tp),
		.rtt_us = state->rtt_us,
		.rtt_min_us = state->rtt_min_us,
		.target_share = alpha,
	};

	if (qtcol_sees_a_queue(state->rtt_us, state->rtt_min_us) && tp->snd_ssthresh > tp->snd_cwnd / 10 * 9)
		tp->snd_ssthresh = tp->snd_cwnd / 10 * 9 < WINDOW_MIN ? WINDOW_MIN : tp->snd_cwnd / 10 * 9;
	set_window(tp, qtcol_next_window(path, qtcol_predict(path)));
	state->samples = 0;
}

SEC("struct_ops/qtcol_cong_avoid")
void qtcol_cong_avoid(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct qtcol *state = STATE_OF(sk, qtcol);

	if ((__s32)(tp->snd_una - state->round_end) >= 0) {
		if (state->samples < SAMPLES_ENOUGH)
			return;
		begin_round(tp, &state->round_end);
		step(tp, state);
	} else if (in_slow_start(tp) && qtcol_is_below_target(state->rtt_us, state->rtt_min_us, alpha)) {
		if (is_window_limited(tp))
			tcp_slow_start(tp, ACKED_OF(ctx));
		begin_round(tp, &state->round_end);
	}
}

SEC("struct_ops/qtcol_ssthresh")
__u32 qtcol_ssthresh(__u64 *ctx)
{
	return half_window(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

SEC("struct_ops/qtcol_undo_cwnd")
__u32 qtcol_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC(".struct_ops")
struct tcp_congestion_ops qtcol = {
	.init = (void *)qtcol_init,
	.cong_avoid = (void *)qtcol_cong_avoid,
	.pkts_acked = (void *)qtcol_pkts_acked,
	.ssthresh = (void *)qtcol_ssthresh,
	.undo_cwnd = (void *)qtcol_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "qtcol",
};
