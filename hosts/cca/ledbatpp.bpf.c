// SPDX-License-Identifier: GPL-2.0
/* ledbatpp: LEDBAT++, for transfers in the background: gives way to all others.
 *
 * Source: P. Balasubramanian, O. Ertugay, D. Havey, M. Bagnulo, "LEDBAT++: Congestion Control for Background Traffic",
 * draft-irtf-iccrg-ledbat-plus-plus.
 *
 * The queue's delay is the smallest of the last four RTTs less the smallest of five to ten minutes. With GAIN = 1 / min(16, ceil(2 TARGET /
 * base)) and TARGET = 60 ms:
 *
 *     delay <= TARGET: w + GAIN for each window acknowledged
 *     delay > TARGET:  w + max(GAIN - w (delay / TARGET - 1), -w / 2), once a round
 *
 * It begins with two packets, and grows by GAIN for each packet acknowledged until the delay is more than 3/4 of TARGET. Two RTTs later comes a
 * first slowdown: two packets for two RTTs, so that the smallest RTT is seen again, then standard slow start up to the window before. Each
 * further slowdown begins nine times as long after the last one as that took. A loss halves the window.
 *
 * The draft writes the second line for all delays; below the target it would double the window in a round, so it is for those above, as the
 * text around it says. It leaves open whether the slow start after a slowdown is slowed down by GAIN; then it could take much more than a
 * tenth of the time.
 */
#include "scheme.h"
#include "least_of_late.h"
#include "ledbatpp_gain.h"
#include "settable.h"

SETTABLE(target_ms, 1000, 60000, 1000, 1000000);
CHOICE(slowdowns, yes, no);

#define BASE_SPAN_US 300000000
#define SLOW_ROUNDS 2	   /* of two packets, in a slowdown */
#define ROUNDS_BEFORE 2	   /* after slow start */
#define BETWEEN_SLOWDOWNS 9 /* times the last one's duration */

struct ledbatpp {
	__u64 window; /* in 65536ths of a packet */
	struct of_late base;
	__u32 rtt_us[4]; /* the last ones, the latest first; 0: none yet */
	__u32 base_us;
	__u32 round_end;
	__u32 slow_since_us; /* when the slowdown began */
	__u32 next_us;	     /* when the next one begins */
	__u8 is_starting;    /* the first slow start */
	__u8 is_still;	     /* in a slowdown: the window stays */
	__u8 is_ramping;     /* in a slowdown: slow start */
	__u8 has_next;
};

static __always_inline __u32 less_of(__u32 one, __u32 other)
{
	return other != 0 && other < one ? other : one;
}

static __always_inline __u32 queue_us(const struct ledbatpp *state)
{
	__u32 least = less_of(less_of(less_of(state->rtt_us[0], state->rtt_us[1]), state->rtt_us[2]), state->rtt_us[3]);

	return least > state->base_us ? least - state->base_us : 0;
}

CALLBACK(void, ledbatpp, init)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct ledbatpp *state = STATE_OF(SOCK_OF(ctx), ledbatpp);

	set_window(tp, WINDOW_MIN);
	state->is_starting = 1;
	begin_round(tp, &state->round_end);
}

CALLBACK(void, ledbatpp, pkts_acked)
{
	struct sock *sk = SOCK_OF(ctx);
	struct ledbatpp *state = STATE_OF(sk, ledbatpp);
	__s32 rtt_us = SAMPLE_OF(ctx)->rtt_us;

	if (rtt_us <= 0)
		return;
	state->base_us = least_of_late(&state->base, rtt_us, now_us(tcp_sk(sk)), BASE_SPAN_US);
	state->rtt_us[3] = state->rtt_us[2]; /* the verifier knows no place in a socket that only a variable tells */
	state->rtt_us[2] = state->rtt_us[1];
	state->rtt_us[1] = state->rtt_us[0];
	state->rtt_us[0] = rtt_us;
}

static __always_inline void plan_slowdown(struct ledbatpp *state, __u32 at_us)
{
	state->next_us = at_us;
	state->has_next = slowdowns == slowdowns_yes;
}

static __always_inline void slow_down(struct tcp_sock *tp, struct ledbatpp *state)
{
	state->has_next = 0;
	state->is_still = 1;
	state->slow_since_us = now_us(tp);
	tp->snd_ssthresh = tp->snd_cwnd;
	set_window(tp, WINDOW_MIN);
}

static __always_inline void end_slowdown(struct tcp_sock *tp, struct ledbatpp *state)
{
	state->is_still = state->is_ramping = 0;
	plan_slowdown(state, now_us(tp) + BETWEEN_SLOWDOWNS * (now_us(tp) - state->slow_since_us));
}

/* The first slow start ends where the queue is long, or with a loss. */
static __always_inline __u64 start(struct tcp_sock *tp, struct ledbatpp *state, __u64 window, __u32 acked)
{
	if (in_slow_start(tp) && queue_us(state) <= target_ms / 4 * 3)
		return window + ONE_PACKET / ledbatpp_slowness(state->base_us, target_ms) * acked;
	state->is_starting = 0;
	tp->snd_ssthresh = tp->snd_cwnd;
	plan_slowdown(state, now_us(tp) + ROUNDS_BEFORE * smoothed_rtt_us(tp));
	return window;
}

/* The slow start after a slowdown, a time-out or silence. */
static __always_inline __u64 come_back(const struct tcp_sock *tp, __u64 window, __u32 acked)
{
	__u64 most = (__u64)tp->snd_ssthresh << FRACTION_BITS;

	window += (__u64)acked << FRACTION_BITS;
	return window < most ? window : most;
}

static __always_inline __u64 avoid_congestion(struct tcp_sock *tp, const struct ledbatpp *state, __u64 window, __u32 acked, _Bool is_round)
{
	__u32 slowness = ledbatpp_slowness(state->base_us, target_ms), delay_us = queue_us(state);

	if (delay_us > target_ms)
		return is_round ? ledbatpp_above_target(window, delay_us, target_ms, slowness) : window;
	if (!is_window_limited(tp))
		return window;
	return window + ONE_PACKET / slowness * acked / (tp->snd_cwnd ? tp->snd_cwnd : 1);
}

CALLBACK(void, ledbatpp, cong_avoid)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct ledbatpp *state = STATE_OF(sk, ledbatpp);
	__u32 acked = ACKED_OF(ctx) < ACKED_MAX ? ACKED_OF(ctx) : ACKED_MAX;
	_Bool is_round = round_is_over(tp, &state->round_end);
	__u64 window = state->window;

	if (state->is_still) {
		if (now_us(tp) - state->slow_since_us < SLOW_ROUNDS * smoothed_rtt_us(tp))
			return;
		state->is_still = 0;
		state->is_ramping = 1;
	}
	if (state->has_next && (__s32)(now_us(tp) - state->next_us) >= 0) {
		slow_down(tp, state);
		return;
	}
	if (window >> FRACTION_BITS != tp->snd_cwnd)
		window = (__u64)tp->snd_cwnd << FRACTION_BITS; /* the kernel has made it another one */
	if (state->is_starting || in_slow_start(tp)) {
		if (!is_window_limited(tp))
			return;
		window = state->is_starting ? start(tp, state, window, acked) : come_back(tp, window, acked);
		set_window(tp, (__u32)(window >> FRACTION_BITS));
	} else {
		window = avoid_congestion(tp, state, window, acked, is_round);
		set_window(tp, (__u32)(window >> FRACTION_BITS));
		tp->snd_ssthresh = tp->snd_cwnd; /* a smaller window is not to mean slow start again */
	}
	state->window = window;
	if (state->is_ramping && !in_slow_start(tp))
		end_slowdown(tp, state);
}

CALLBACK(__u32, ledbatpp, ssthresh)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct ledbatpp *state = STATE_OF(sk, ledbatpp);
	__u32 window = state->is_still ? tp->snd_ssthresh : tp->snd_cwnd; /* that before the slowdown, whose packets are lost */

	if (state->is_still || state->is_ramping)
		end_slowdown(tp, state);
	return half_window(window);
}

UNDOES_LIKE_STANDARD_TCP(ledbatpp)

REGISTER(ledbatpp, HAS(ledbatpp, init), HAS(ledbatpp, cong_avoid), HAS(ledbatpp, pkts_acked));
