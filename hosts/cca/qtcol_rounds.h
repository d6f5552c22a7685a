/* SPDX-License-Identifier: GPL-2.0 */
/* The common part of qtcol and qtcolfair in the kernel: when a step is due, and how it changes the window. */
#ifndef QTCOL_ROUNDS_H
#define QTCOL_ROUNDS_H

#include "scheme.h"
#include "qtcol_step.h"
#include "settable.h"

SETTABLE(alpha, 1000, 1200, 1001, 100000); /* target RTT over the smallest RTT; the paper finds 1.2 stable and shows 1.5 too */
CHOICE(rtt, smoothed, last); /* the source of R and R_min: the smoothed RTT (the authors' ns-3), or each sample */

#define SAMPLES_ENOUGH 3 /* RTTs since the last step; the authors' code wants more than two */

struct qtcol_rounds {
	struct rtts rtts;
	__u32 round_end;
	__u32 samples; /* RTTs since the last step */
};

static __always_inline void qtcol_note(const struct tcp_sock *tp, struct qtcol_rounds *rounds, const struct ack_sample *sample)
{
	if (sample->rtt_us <= 0)
		return;
	note_rtt_us(&rounds->rtts, rtt == rtt_smoothed ? smoothed_rtt_us(tp) : (__u32)sample->rtt_us);
	rounds->samples++;
}

/* Whether it is time for a step: a round is over, and enough RTTs are known. Below the target, slow start goes on meanwhile, and each of
 * its acknowledgements puts the step off by a round.
 */
static __always_inline _Bool qtcol_step_is_due(struct tcp_sock *tp, struct qtcol_rounds *rounds, __u32 acked)
{
	if ((__s32)(tp->snd_una - rounds->round_end) >= 0) {
		if (rounds->samples < SAMPLES_ENOUGH)
			return 0;
		begin_round(tp, &rounds->round_end);
		return 1;
	}
	if (in_slow_start(tp) && qtcol_is_below_target(rounds->rtts.last_us, rounds->rtts.least_us, alpha)) {
		if (is_window_limited(tp))
			tcp_slow_start(tp, acked);
		begin_round(tp, &rounds->round_end);
	}
	return 0;
}

static __always_inline struct qtcol_path qtcol_path_of(const struct tcp_sock *tp, const struct qtcol_rounds *rounds)
{
	struct qtcol_path path = {
		.window = tp->snd_cwnd,
		.in_flight = packets_in_flight(tp),
		.rtt_us = rounds->rtts.last_us,
		.rtt_min_us = rounds->rtts.least_us,
		.target_share = alpha,
	};

	return path;
}

/* The first step that sees a queue ends slow start. */
static __always_inline void qtcol_end_slow_start(struct tcp_sock *tp, struct qtcol_path path)
{
	__u32 threshold = qtcol_threshold(tp->snd_cwnd);

	if (qtcol_sees_a_queue(path.rtt_us, path.rtt_min_us) && tp->snd_ssthresh > threshold)
		tp->snd_ssthresh = threshold;
}

/* A step towards what equation (10) predicts. The window only grows if it is what limits the sender. */
static __always_inline void qtcol_take_step(struct tcp_sock *tp, struct qtcol_rounds *rounds)
{
	struct qtcol_path path = qtcol_path_of(tp, rounds);
	__u32 window = qtcol_next_window(path, qtcol_predict(path));

	qtcol_end_slow_start(tp, path);
	if (window < tp->snd_cwnd || is_window_limited(tp))
		set_window(tp, window);
	rounds->samples = 0;
}

#endif
