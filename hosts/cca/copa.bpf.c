// SPDX-License-Identifier: GPL-2.0
/* copa: Copa, keeps 1 / delta packets in the queue, and competes for more only where others fill it.
 *
 * Source: V. Arun, H. Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", USENIX NSDI 2018.
 *
 * With RTTmin the smallest RTT of 10 s, RTTstanding the smallest of the last half of an RTT, and dq = RTTstanding - RTTmin:
 *
 *     w / RTTstanding <= 1 / (delta dq):  w + v / (delta w) for each packet acknowledged
 *     else:                               w - v / (delta w)
 *
 * The velocity v is 1. It doubles each round once the window has moved in one direction for three rounds, and is 1 again after a turn.
 * The sender paces at 2 w / RTTstanding. The window doubles each round until the rate is above its target for the first time, and again
 * after a time-out.
 *
 * Modes: where ten RTTs pass in which the queue is never nearly empty (dq < 0.1 (RTTmax - RTTmin), RTTmax of four RTTs), others fill it.
 * Then 1 / delta grows by one each RTT and halves with a loss, between that of the default mode (delta = 0.5) and 1000. A nearly
 * empty queue leads back to the default mode. There a loss changes nothing.
 *
 * Here the extremes cover at least half of their times, and no more than all of it. A turn ends a velocity above 1 at once, and not with the
 * round: it was meant for the other direction. The paper waits for five RTTs before it competes. But with delayed feedback Copa's own
 * queue empties every five to six, so that several would take each other for others. It does not say how far 1 / delta may grow.
 */
#include "scheme.h"
#include "copa_target.h"
#include "least_of_late.h"
#include "settable.h"
#include "window_rate.h"

SETTABLE(delta, 1024, 512, 2, 10240); /* of the default mode */
SETTABLE(compete_after, 1, 10, 1, 1000); /* RTTs without a nearly empty queue */
CHOICE(modes, switching, default);	 /* switching as others demand, or the default mode for ever */

#define LEAST_SPAN_US 5000000
#define ROUNDS_OF_MOST 4
#define INVERSE_MAX (1000 * COPA_UNIT)

struct copa {
	__u64 window; /* in 65536ths of a packet */
	struct of_late least, standing, most;
	__u32 seen; /* packets delivered, at the last acknowledgement */
	__u32 round_end;
	__u32 last_window; /* when the round began */
	__u32 velocity;
	__u32 rounds_in_direction;
	__u32 inverse; /* 1 / delta in 1024ths; 0: the default mode */
	__u32 empty_us; /* when the queue was nearly empty */
	__u32 standing_us;
	__u32 rtt_us; /* of the last acknowledgement; 0: none yet */
	__u8 is_up;
	__u8 is_starting;
};

static __always_inline __u32 default_inverse(void)
{
	return COPA_UNIT * COPA_UNIT / delta;
}

CALLBACK(void, copa, init)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct copa *state = STATE_OF(SOCK_OF(ctx), copa);

	state->seen = tp->delivered;
	state->velocity = 1;
	state->is_starting = 1;
	state->empty_us = now_us(tp);
	begin_round(tp, &state->round_end);
	pace_in_short_bursts(SOCK_OF(ctx));
}

CALLBACK(void, copa, pkts_acked)
{
	__s32 rtt_us = SAMPLE_OF(ctx)->rtt_us;

	if (rtt_us > 0)
		STATE_OF(SOCK_OF(ctx), copa)->rtt_us = rtt_us;
}

/* In the competitive mode 1 / delta grows by one each round. */
static __always_inline void choose_mode(struct tcp_sock *tp, struct copa *state, __u32 least_us, __u32 most_us, _Bool is_round)
{
	if (copa_is_nearly_empty(state->standing_us, least_us, most_us)) {
		state->empty_us = now_us(tp);
		state->inverse = 0;
		return;
	}
	if (modes == modes_default)
		return;
	if (state->inverse == 0 && now_us(tp) - state->empty_us > compete_after * smoothed_rtt_us(tp))
		state->inverse = default_inverse();
	else if (state->inverse != 0 && is_round && state->inverse < INVERSE_MAX)
		state->inverse += COPA_UNIT;
}

static __always_inline void note_direction(struct copa *state, _Bool is_up)
{
	state->rounds_in_direction = is_up == state->is_up ? state->rounds_in_direction + 1 : 0;
	state->velocity = copa_velocity(state->velocity, state->rounds_in_direction);
	state->is_up = is_up;
}

static __always_inline void move(struct tcp_sock *tp, struct copa *state, __u32 acked, __u32 least_us)
{
	__u32 inverse = state->inverse ? state->inverse : default_inverse();
	_Bool is_below = copa_is_below_target(tp->snd_cwnd, state->standing_us, least_us, inverse);

	if (state->window >> FRACTION_BITS != tp->snd_cwnd)
		state->window = (__u64)tp->snd_cwnd << FRACTION_BITS; /* the kernel has made it another one */
	if (state->is_starting && !is_below)
		state->is_starting = 0;
	if (is_below && !is_window_limited(tp))
		return;
	if (state->velocity > 1 && is_below != state->is_up)
		note_direction(state, is_below);
	if (state->is_starting)
		state->window += (__u64)acked << FRACTION_BITS;
	else
		state->window = copa_next_window(state->window, copa_step(state->velocity, inverse), acked, is_below);
	set_window(tp, (__u32)(state->window >> FRACTION_BITS));
	tp->snd_ssthresh = tp->snd_cwnd; /* nobody is to take a small window for slow start */
}

/* After every acknowledgement, whatever the state of loss recovery; the kernel does nothing else to the window. */
CALLBACK(void, copa, cong_control)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct copa *state = STATE_OF(sk, copa);
	__u32 acked = tp->delivered - state->seen, rtt_us = smoothed_rtt_us(tp), least_us, most_us;
	_Bool is_round;

	state->seen = tp->delivered;
	if (state->rtt_us == 0 || rtt_us == 0 || acked == 0)
		return;
	least_us = least_of_late(&state->least, state->rtt_us, now_us(tp), LEAST_SPAN_US);
	state->standing_us = least_of_late(&state->standing, state->rtt_us, now_us(tp), rtt_us / 4);
	most_us = most_of_late(&state->most, state->rtt_us, now_us(tp), ROUNDS_OF_MOST * rtt_us / 2);
	is_round = round_is_over(tp, &state->round_end);
	if (is_round) {
		note_direction(state, tp->snd_cwnd > state->last_window);
		state->last_window = tp->snd_cwnd;
	}
	choose_mode(tp, state, least_us, most_us, is_round);
	move(tp, state, acked, least_us);
	set_pacing_rate(sk, 2 * window_rate(tp->snd_cwnd, tp->mss_cache, state->standing_us));
}

CALLBACK(__u32, copa, ssthresh)
{
	return tcp_sk(SOCK_OF(ctx))->snd_cwnd;
}

CALLBACK(void, copa, set_state)
{
	struct copa *state = STATE_OF(SOCK_OF(ctx), copa);
	__u8 ca_state = (__u8)ctx[1];

	if (ca_state == TCP_CA_Loss)
		state->is_starting = 1;
	if (ca_state >= TCP_CA_Recovery && state->inverse != 0)
		state->inverse = state->inverse / 2 > default_inverse() ? state->inverse / 2 : default_inverse();
}

UNDOES_LIKE_STANDARD_TCP(copa)

REGISTER(copa, HAS(copa, init), HAS(copa, cong_control), HAS(copa, pkts_acked), HAS(copa, set_state));
