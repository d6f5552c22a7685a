/* SPDX-License-Identifier: GPL-2.0 */
/* What qtcol and qtcolfair have alike in the kernel: when a step is due, and how it changes the window. */
#ifndef QTCOL_ROUNDS_H
#define QTCOL_ROUNDS_H

#include "scheme.h"
#include "qtcol_step.h"
#include "settable.h"

#define SAMPLES_ENOUGH 3 /* RTTs since the last step; the authors' code wants more than two */

struct qtcol_rounds {
	struct rtts rtts;
	__u32 round_end;
	__u32 samples; /* RTTs since the last step */
};

static __always_inline void qtcol_note(struct qtcol_rounds *rounds, const struct ack_sample *sample)
{
	rounds->samples += note_rtt(&rounds->rtts, sample);
}

/* Whether it is time for a step: a round is over, and enough RTTs are known. Below the target, slow start goes on meanwhile, and each of
 * its acknowledgements puts the step off by a round.
 */
static __always_inline _Bool qtcol_step_is_due(struct tcp_sock *tp, struct qtcol_rounds *rounds, __u32 target_share, __u32 acked)
{
	if ((__s32)(tp->snd_una - rounds->round_end) >= 0) {
		if (rounds->samples < SAMPLES_ENOUGH)
			return 0;
		begin_round(tp, &rounds->round_end);
		return 1;
	}
	if (in_slow_start(tp) && qtcol_is_below_target(rounds->rtts.last_us, rounds->rtts.least_us, target_share)) {
		if (is_window_limited(tp))
			tcp_slow_start(tp, acked);
		begin_round(tp, &rounds->round_end);
	}
	return 0;
}

static __always_inline struct qtcol_path qtcol_path_of(const struct tcp_sock *tp, const struct qtcol_rounds *rounds, __u32 target_share)
{
	struct qtcol_path path = {
		.window = tp->snd_cwnd,
		.in_flight = packets_in_flight(tp),
		.rtt_us = rounds->rtts.last_us,
		.rtt_min_us = rounds->rtts.least_us,
		.target_share = target_share,
	};

	return path;
}

/* A step towards `predicted` packets in flight; the first one that sees a queue ends slow start. */
static __always_inline void qtcol_take_step(struct tcp_sock *tp, struct qtcol_rounds *rounds, struct qtcol_path path, __u32 predicted)
{
	__u32 threshold = tp->snd_cwnd / 10 * 9;

	if (qtcol_sees_a_queue(path.rtt_us, path.rtt_min_us) && tp->snd_ssthresh > threshold)
		tp->snd_ssthresh = threshold < WINDOW_MIN ? WINDOW_MIN : threshold;
	set_window(tp, qtcol_next_window(path, predicted));
	rounds->samples = 0;
}

#endif
