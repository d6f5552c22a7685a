// SPDX-License-Identifier: GPL-2.0
/* vivace: PCC Vivace, tries a higher and a lower rate and follows the slope of its utility.
 *
 * Source: M. Dong, T. Meng, D. Zarchy, et al., "PCC Vivace: Online-Learning Congestion Control", USENIX NSDI 2018, sections 4 and 5.
 * With x the rate in Mbit/s and L the part of the packets that are lost:
 *
 *     u = x^0.9 - 900 x dRTT/dt - 11.35 x L       of a monitor interval
 *     r <- 2 r                                    each interval, until u falls for the first time: then back to the rate before
 *     r <- r + m theta (u(r (1 + epsilon)) - u(r (1 - epsilon))) / (2 epsilon r), by (omega + k delta) r at most
 *
 * m grows with decisions for the same direction, k with those that were bounded.
 *
 * A monitor interval is a round trip, of ten packets at least. Its effect is seen in the one that follows. As in the authors' code `pairs`
 * of higher and lower rates are tried, each in an order by chance, and the rate changes if all say the same; a round at r follows, in which
 * the last one is seen. dRTT/dt is the slope of a linear regression, and as in that code it counts from `filter` on: a queue that falls is
 * no merit. What the application limits decides nothing. The window is twice what the rate needs. The paper has no time-out: here it
 * halves the rate, and the start begins anew.
 */
#include "scheme.h"
#include "drawn.h"
#include "settable.h"
#include "vivace_utility.h"

SETTABLE(b, 1000, 900000, 0, 1000000);	/* weight of the RTT's rise */
SETTABLE(c, 1000, 11350, 0, 1000000);	/* weight of losses */
SETTABLE(epsilon, 1000, 50, 5, 500);	/* how much higher and lower the rates are that are tried */
SETTABLE(theta, 1000, 1000, 10, 100000); /* Mbit/s of change for each unit of slope */
SETTABLE(omega, 1000, 50, 5, 1000);	/* largest change, as a part of the rate */
SETTABLE(delta, 1000, 100, 0, 1000);	/* and more after each decision that it bounded */
SETTABLE(filter, 65536, 655, 0, 65536); /* a smaller rise of the RTT counts as none */

SETTABLE(pairs, 1, 2, 1, 4);		/* of rates that are tried for a decision */

#define PACKETS_MIN 10

/* What is sent in a round. */
#define AT_REST 0
#define HIGHER 1
#define LOWER 2
#define STARTING 3

struct vivace {
	struct slope slope; /* of this round's acknowledgements, which tell of the round before */
	__s64 utility; /* of the round before, or of the first rate of a pair */
	__s64 balance; /* sum of what the higher rates have been better by */
	__u64 rate;
	__u32 begun_us, unit_us; /* when this round began; the RTT then */
	__u32 delivered, lost;	 /* at its beginning; it ends with a packet that was sent since */
	__u8 sent : 2, seen : 2, is_limited : 1, was_limited : 1, has_utility : 1, is_rising : 1;
	__u8 order : 4, votes : 4; /* of each pair: which is first; of all: how many were better higher */
	__u8 decisions;		   /* for the same direction */
	__u8 steps;		   /* of the boundary */
	__u8 tries;		   /* rounds of this decision that have begun */
};

static __always_inline __u64 rate_of(const struct vivace *state, __u32 sent)
{
	if (sent == HIGHER)
		return state->rate + state->rate * epsilon / VIVACE_UNIT;
	if (sent == LOWER)
		return state->rate - state->rate * epsilon / VIVACE_UNIT;
	return state->rate;
}

static __always_inline __u64 bytes_a_second(__u64 rate)
{
	return rate * 125000 >> FRACTION_BITS;
}

static __always_inline void use_rate(struct sock *sk, const struct vivace *state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u64 rate = bytes_a_second(rate_of(state, state->sent)), packets;

	packets = 2 * rate * smoothed_rtt_us(tp) / 1000000 / (tp->mss_cache == 0 ? 1 : tp->mss_cache) + PACKETS_MIN;
	set_window(tp, packets < 1U << 30 ? (__u32)packets : 1U << 30);
	tp->snd_ssthresh = tp->snd_cwnd; /* nobody is to take the window for slow start */
	set_pacing_rate(sk, rate);
}

static __always_inline void set_rate(const struct tcp_sock *tp, struct vivace *state, __u64 rate)
{
	__u32 rtt_us = smoothed_rtt_us(tp);
	__u64 least = ((__u64)tp->mss_cache * 2 * 8 << FRACTION_BITS) / (rtt_us == 0 ? 1 : rtt_us); /* two packets an RTT */

	rate = larger_of(rate, larger_of(least, VIVACE_RATE_MIN));
	state->rate = smaller_of(rate, VIVACE_RATE_MAX);
}

static __always_inline void begin_accounts(const struct tcp_sock *tp, struct vivace *state)
{
	state->begun_us = now_us(tp);
	state->unit_us = smoothed_rtt_us(tp);
	state->delivered = tp->delivered;
	state->lost = tp->lost;
	state->slope = (struct slope){0};
	state->is_limited = 0;
}

static __always_inline void begin_start(struct vivace *state)
{
	state->sent = STARTING;
	state->seen = AT_REST;
	state->has_utility = 0;
	state->decisions = 0;
	state->steps = 0;
}

static __always_inline __u32 tried(const struct vivace *state, __u32 number)
{
	return (state->order >> number / 2 ^ number) & 1 ? LOWER : HIGHER;
}

static __always_inline void begin_decision(const struct tcp_sock *tp, struct vivace *state)
{
	state->order = drawn_below(16, now_us(tp), tp->delivered) & 15;
	state->sent = tried(state, 0);
	state->seen = AT_REST;
	state->tries = 1;
	state->votes = 0;
	state->balance = 0;
	state->was_limited = 0;
}

/* The rate that this round's acknowledgements tell of was good for so much. */
static __always_inline __s64 utility(const struct tcp_sock *tp, const struct vivace *state, __u64 rate)
{
	__u32 lost = tp->lost - state->lost, all = tp->delivered - state->delivered + lost;
	__u32 part = all == 0 ? 0 : (__u32)(((__u64)lost << FRACTION_BITS) / all);

	return vivace_utility(rate, slope_rise(&state->slope, state->unit_us, filter), part, b, c);
}

static __always_inline void decide(const struct tcp_sock *tp, struct vivace *state)
{
	_Bool is_rising = state->balance >= 0;
	__u64 difference = (__u64)(is_rising ? state->balance : -state->balance) / pairs, step, most;

	if (is_rising != state->is_rising || state->decisions == 0) {
		state->decisions = 0;
		state->steps = 0;
	}
	state->is_rising = is_rising;
	if (state->decisions < 100)
		state->decisions++;
	step = vivace_step(difference, state->rate, epsilon, theta, vivace_amplifier(state->decisions));
	most = vivace_boundary(state->rate, omega, delta, state->steps);
	if (step > most) {
		step = most;
		if (state->steps < VIVACE_STEPS_MAX)
			state->steps++;
	} else {
		__u64 beyond = step * VIVACE_UNIT / state->rate;

		beyond = beyond <= omega || delta == 0 ? 0 : (beyond - omega + delta - 1) / delta;
		state->steps = beyond < state->steps ? (__u8)beyond : state->steps;
	}
	step = smaller_of(step, state->rate / 2 + (is_rising ? state->rate / 2 : 0));
	set_rate(tp, state, is_rising ? state->rate + step : state->rate - step);
}

static __always_inline void end_round_of_start(const struct tcp_sock *tp, struct vivace *state)
{
	__s64 found = utility(tp, state, state->rate / 2);

	if (state->is_limited) {
		state->has_utility = 0;
		return;
	}
	if (state->seen == STARTING && state->has_utility && found < state->utility) {
		set_rate(tp, state, state->rate / 4);
		begin_decision(tp, state);
		return;
	}
	state->has_utility = state->seen == STARTING; /* else these packets were sent before */
	state->seen = STARTING;
	state->utility = found;
	set_rate(tp, state, 2 * state->rate);
}

static __always_inline void end_round_of_decision(const struct tcp_sock *tp, struct vivace *state)
{
	__u32 told = state->seen, number = state->tries - 2;
	__s64 found = utility(tp, state, rate_of(state, told)), better;

	state->was_limited |= state->is_limited;
	if (state->tries >= 2 && number & 1) {
		better = told == HIGHER ? found - state->utility : state->utility - found;
		state->balance += better;
		state->votes += better >= 0;
	}
	state->utility = found;
	if (number == 2 * pairs - 1 && state->tries >= 2) {
		if (!state->was_limited && (state->votes == 0 || state->votes == pairs))
			decide(tp, state);
		begin_decision(tp, state);
		return;
	}
	state->seen = state->sent;
	state->sent = state->tries < 2 * pairs ? tried(state, state->tries) : AT_REST;
	state->tries++;
}

CALLBACK(void, vivace, init)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct vivace *state = STATE_OF(SOCK_OF(ctx), vivace);
	__u32 rtt_us = smoothed_rtt_us(tp);

	pace_in_short_bursts(SOCK_OF(ctx));
	set_rate(tp, state, ((__u64)tp->mss_cache * tp->snd_cwnd * 8 << FRACTION_BITS) / (rtt_us == 0 ? 100000 : rtt_us));
	begin_start(state);
	begin_accounts(tp, state);
	set_pacing_rate(SOCK_OF(ctx), bytes_a_second(state->rate));
}

CALLBACK(void, vivace, pkts_acked)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct vivace *state = STATE_OF(SOCK_OF(ctx), vivace);
	__s32 rtt_us = SAMPLE_OF(ctx)->rtt_us;

	if (rtt_us > 0)
		slope_note(&state->slope, now_us(tp) - state->begun_us, (__u32)rtt_us, state->unit_us);
}

/* After every acknowledgement, whatever the state of loss recovery; the kernel does nothing else to the window. */
CALLBACK(void, vivace, cong_control)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct vivace *state = STATE_OF(sk, vivace);
	const struct rate_sample *rates = RATES_OF(ctx);

	if (rates->is_app_limited)
		state->is_limited = 1;
	if (rates->delivered > 0 && (__s32)(rates->prior_delivered - state->delivered) >= 0 &&
	    tp->delivered - state->delivered >= PACKETS_MIN) {
		if (state->sent == STARTING)
			end_round_of_start(tp, state);
		else
			end_round_of_decision(tp, state);
		begin_accounts(tp, state);
	}
	use_rate(sk, state);
}

/* The rate alone decides. */
CALLBACK(__u32, vivace, ssthresh)
{
	return tcp_sk(SOCK_OF(ctx))->snd_cwnd;
}

CALLBACK(void, vivace, set_state)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct vivace *state = STATE_OF(SOCK_OF(ctx), vivace);

	if ((__u8)ctx[1] != TCP_CA_Loss)
		return;
	set_rate(tp, state, state->rate / 2);
	begin_start(state);
	begin_accounts(tp, state);
}

UNDOES_LIKE_STANDARD_TCP(vivace)

REGISTER(vivace, HAS(vivace, init), HAS(vivace, cong_control), HAS(vivace, pkts_acked), HAS(vivace, set_state));
