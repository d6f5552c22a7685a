// SPDX-License-Identifier: GPL-2.0
/* bbr3: BBRv3, sends by a model of the path.
 *
 * The model has the path's rate, its RTT without queues, and how much may be in flight without much loss.
 *
 * Source: N. Cardwell, I. Swett, J. Beshay, "BBR Congestion Control", draft-ietf-ccwg-bbr, whose names of states and steps are here:
 * Startup, Drain, ProbeBW with DOWN, CRUISE, REFILL and UP, ProbeRTT.
 *
 * What the kernel does not tell a congestion control, the draft's authors' kernel adds to TCP. Here it is estimated:
 *   - in flight when a packet was sent: delivered since then, and lost since then. Links that keep the order make it the same;
 *   - lost since a packet was sent: all of this round, and the part of the round before that is after its sending;
 *   - each lost packet by itself: the acknowledgements with which losses are found, with all that they find.
 * Further, times between probes are drawn from the clock and the connection's count of packets, so that runs repeat; the largest
 * excess of acknowledgements is that of 5 to 10 rounds, by two halves; a burst of TSO is a millisecond of the rate, as in Linux.
 * The draft has nothing on ECN, and so this has not: the authors' code reacts to marks of data centres.
 */
#include "scheme.h"
#include "bbr3_model.h"
#include "branchless.h"
#include "drawn.h"
#include "settable.h"

SETTABLE(startup_gain, 1000, 2773, 1000, 8000);	 /* of the rate */
SETTABLE(drain_gain, 1000, 500, 100, 1000);
SETTABLE(down_gain, 1000, 900, 100, 1000);
SETTABLE(up_gain, 1000, 1250, 1000, 4000);
SETTABLE(window_gain, 1000, 2000, 1000, 8000);	 /* of rate x RTT; in UP an eighth more */
SETTABLE(loss_threshold, 1000, 20, 1, 1000);	 /* share of what is in flight: more lost is too much in flight */
SETTABLE(beta, 1000, 700, 100, 1000);		 /* what stays of the limits after a loss */
SETTABLE(headroom, 1000, 150, 0, 900);		 /* share of the limit that is left to others */
SETTABLE(probe_after_ms, 1000, 2000000, 1000, 60000000); /* between probes for a higher rate, and up to a second more */
SETTABLE(probe_rtt_after_ms, 1000, 5000000, 1000, 60000000);

#define STARTUP 0
#define DRAIN 1
#define DOWN 2
#define CRUISE 3
#define REFILL 4
#define UP 5
#define PROBE_RTT 6

/* Where the acknowledgements of a probe are, ack_phase in the draft. */
#define ACKS_INIT 0
#define ACKS_REFILLING 1
#define ACKS_PROBE_STARTING 2
#define ACKS_PROBE_FEEDBACK 3
#define ACKS_PROBE_STOPPING 4

#define FULL_GROWTH 1250	    /* Startup goes on while the rate grows by a quarter in a round */
#define FULL_ROUNDS 3
#define LOSS_EVENTS_FULL 6	    /* acknowledgements of a round that found losses */
#define DRAIN_ROUNDS 3
#define PROBE_RTT_US 200000
#define PROBE_RTT_GAIN 500
#define MIN_RTT_US 10000000	    /* how long the smallest RTT is remembered */
#define PROBE_SPREAD_US 1000000
#define RENO_ROUNDS_MAX 63
#define EXCESS_ROUNDS 5		    /* half the draft's filter */
#define EXCESS_MAX 0xffff
#define AGGREGATE_MAX (1U << 30)
#define NOTHING_TO_UNDO 7

struct bbr3 {
	__u32 rates[2]; /* the highest of the last cycle of probing, and of this one */
	__u32 latest_rate, short_rate, full_rate;
	__u32 latest_in_flight, short_in_flight, long_in_flight;
	__u32 round_end, loss_round_end; /* when so many packets have been delivered that were sent since */
	__u32 min_rtt_us, min_rtt_at;
	__u32 probe_rtt_us, probe_rtt_at;
	__u32 phase_at; /* when the phase of ProbeBW began; when ProbeRTT ends */
	__u32 prior_window;
	__u32 undo_short_rate, undo_short, undo_long;
	__u32 aggregate_at, aggregate_acked;
	__u16 excess[2]; /* of acknowledgements, in half the filter each */
	__u32 up_acked;
	__u16 lost_at_start, lost_before; /* tp->lost at the beginnings of this round and the one before */
	__u32 phase : 3, ack_phase : 3, full_rounds : 2, full_now : 1, full_reached : 1, is_round_start : 1, is_loss_round_start : 1,
		has_loss : 1, is_probe_sample : 1, was_too_high : 1, was_precautionary : 1, is_restarting : 1, round_done : 1,
		rtt_expired : 1, undo_phase : 3, drain_rounds : 3, loss_events : 4, is_end_set : 1;
	__u32 rounds_since_probe : 7, up_rounds : 5, excess_rounds : 4, wait_ms : 12, ca_state : 3;
};

static __always_inline _Bool is_probing_bw(const struct bbr3 *state)
{
	return state->phase >= DOWN && state->phase <= UP;
}

static __always_inline __u32 max_rate(const struct bbr3 *state)
{
	return larger_of(state->rates[0], state->rates[1]);
}

static __always_inline __u32 model_rate(const struct bbr3 *state)
{
	return smaller_of(max_rate(state), state->short_rate);
}

static __always_inline __u32 product(const struct bbr3 *state, __u32 rate, __u32 gain)
{
	return state->min_rtt_us == BBR3_NONE ? 10 : bbr3_packets(rate, state->min_rtt_us, gain);
}

/* Packets of three bursts: TSO, and what receivers put together, must not keep the path idle. */
static __always_inline __u32 offload_budget(struct sock *sk)
{
	__u64 packets = sk->sk_pacing_rate / 1000;

	packets = (packets < 65536 ? packets : 65536) / larger_of(tcp_sk(sk)->mss_cache, 1);
	return 3 * (packets < 2 ? 2 : (__u32)packets);
}

static __always_inline __u32 quantized(struct sock *sk, const struct bbr3 *state, __u32 packets)
{
	packets = larger_of(larger_of(packets, offload_budget(sk)), BBR3_WINDOW_MIN);
	return state->phase == UP ? packets + 2 : packets;
}

static __always_inline void start_round(const struct tcp_sock *tp, struct bbr3 *state)
{
	if (tp->delivered != state->round_end) {
		state->lost_before = state->lost_at_start;
		state->lost_at_start = (__u16)tp->lost;
	}
	state->round_end = tp->delivered;
}

static __always_inline void reset_full_rate(struct bbr3 *state, __u32 rate)
{
	state->full_rate = rate;
	state->full_rounds = 0;
	state->full_now = 0;
}

static __always_inline void forget_short_term(struct bbr3 *state)
{
	state->short_rate = BBR3_NONE;
	state->short_in_flight = BBR3_NONE;
}

static __always_inline void save_window(const struct tcp_sock *tp, struct bbr3 *state)
{
	if (state->ca_state < TCP_CA_Recovery && state->phase != PROBE_RTT)
		state->prior_window = tp->snd_cwnd;
	else
		state->prior_window = larger_of(state->prior_window, tp->snd_cwnd);
}

static __always_inline void restore_window(struct tcp_sock *tp, const struct bbr3 *state)
{
	set_window(tp, larger_of(tp->snd_cwnd, state->prior_window));
}

/* What a loss changes, should it turn out to be none. */
static __always_inline void save_limits(struct bbr3 *state)
{
	state->undo_phase = NOTHING_TO_UNDO;
	state->undo_short_rate = state->short_rate;
	state->undo_short = state->short_in_flight;
	state->undo_long = state->long_in_flight;
}

/* Phases of ProbeBW */

static __always_inline void start_down(const struct tcp_sock *tp, struct bbr3 *state)
{
	__u32 drawn = drawn_below(2 * PROBE_SPREAD_US, now_us(tp), tp->delivered);

	state->has_loss = 0;
	state->latest_rate = 0;
	state->latest_in_flight = 0;
	state->rounds_since_probe = drawn & 1;
	state->wait_ms = drawn / 2 / 1000;
	state->phase_at = now_us(tp);
	state->ack_phase = ACKS_PROBE_STOPPING;
	start_round(tp, state);
	state->phase = DOWN;
}

static __always_inline void start_refill(const struct tcp_sock *tp, struct bbr3 *state)
{
	forget_short_term(state);
	state->up_rounds = 0;
	state->up_acked = 0;
	state->was_precautionary = 0;
	state->ack_phase = ACKS_REFILLING;
	start_round(tp, state);
	state->phase = REFILL;
}

static __always_inline void raise_slope(struct bbr3 *state)
{
	if (state->up_rounds < 30)
		state->up_rounds++;
}

static __always_inline void start_up(const struct tcp_sock *tp, struct bbr3 *state, __u32 rate)
{
	state->ack_phase = ACKS_PROBE_STARTING;
	start_round(tp, state);
	reset_full_rate(state, rate);
	state->phase = UP;
	raise_slope(state);
}

/* What one acknowledgement says. */
struct told {
	__u32 rate; /* 0: nothing of it */
	__u32 delivered;
	__u32 prior_delivered;
	__u32 sent_in_flight; /* packets in flight when the one was sent that is acknowledged now */
	__u32 lost;	      /* since then */
	__u32 acked;
	_Bool is_valid, is_app_limited;
};

static __always_inline _Bool is_too_high(const struct told *told)
{
	return (__u64)told->lost * BBR3_UNIT > (__u64)told->sent_in_flight * loss_threshold;
}

static __always_inline void note_loss(const struct tcp_sock *tp, struct bbr3 *state)
{
	if (!state->has_loss) {
		state->loss_round_end = tp->delivered;
		save_window(tp, state);
		save_limits(state);
	}
	state->has_loss = 1;
	if (state->loss_events < 15)
		state->loss_events++;
}

/* Once a probe: more was in flight than the path takes. */
static __always_inline void check_too_high(const struct tcp_sock *tp, struct bbr3 *state, const struct told *told)
{
	__u32 target = smaller_of(product(state, model_rate(state), BBR3_UNIT), tp->snd_cwnd);

	if (!told->is_valid || !state->is_probe_sample || !is_too_high(told))
		return;
	state->was_too_high = 1;
	state->is_probe_sample = 0;
	if (!told->is_app_limited)
		state->long_in_flight = larger_of(told->sent_in_flight, bbr3_share(target, beta));
	if (state->phase == UP) {
		state->undo_phase = UP;
		start_down(tp, state);
	}
}

static __always_inline void update_round(const struct tcp_sock *tp, struct bbr3 *state, const struct told *told)
{
	state->is_round_start = 0;
	if (!told->is_valid || (__s32)(told->prior_delivered - state->round_end) < 0)
		return;
	start_round(tp, state);
	state->is_round_start = 1;
	if (state->rounds_since_probe < 127)
		state->rounds_since_probe++;
	if (state->drain_rounds < 7)
		state->drain_rounds++;
}

static __always_inline void update_rates(const struct tcp_sock *tp, struct bbr3 *state, const struct told *told)
{
	state->is_loss_round_start = 0;
	if (!told->is_valid)
		return;
	state->latest_rate = larger_of(state->latest_rate, told->rate);
	state->latest_in_flight = larger_of(state->latest_in_flight, told->delivered);
	if ((__s32)(told->prior_delivered - state->loss_round_end) >= 0) {
		state->loss_round_end = tp->delivered;
		state->is_loss_round_start = 1;
	}
	update_round(tp, state, told);
	if (told->rate >= max_rate(state) || !told->is_app_limited)
		state->rates[1] = larger_of(state->rates[1], told->rate);
}

/* Once a round: what was lost limits rate and window for as long as nothing is probed. */
static __always_inline void adapt_to_loss(const struct tcp_sock *tp, struct bbr3 *state)
{
	if (!state->is_loss_round_start)
		return;
	if (state->has_loss && state->phase != STARTUP && state->phase != REFILL && state->phase != UP) {
		if (state->short_rate == BBR3_NONE)
			state->short_rate = max_rate(state);
		if (state->short_in_flight == BBR3_NONE)
			state->short_in_flight = tp->snd_cwnd;
		state->short_rate = larger_of(state->latest_rate, bbr3_share(state->short_rate, beta));
		state->short_in_flight = larger_of(state->latest_in_flight, bbr3_share(state->short_in_flight, beta));
	}
}

/* How many acknowledgements come more than the rate explains: the window leaves room for so many. */
static __always_inline void update_excess(const struct tcp_sock *tp, struct bbr3 *state, __u32 acked)
{
	__u32 expected = bbr3_packets(model_rate(state), now_us(tp) - state->aggregate_at, BBR3_UNIT), excess;

	if (state->is_round_start) {
		state->excess_rounds++;
		if (state->excess_rounds >= (state->full_reached ? EXCESS_ROUNDS : 1)) {
			state->excess_rounds = 0;
			state->excess[0] = state->excess[1];
			state->excess[1] = 0;
		}
	}
	if (state->aggregate_acked <= expected || state->aggregate_acked > AGGREGATE_MAX) {
		state->aggregate_acked = 0;
		state->aggregate_at = now_us(tp);
		expected = 0;
	}
	state->aggregate_acked += acked;
	excess = state->aggregate_acked > expected ? state->aggregate_acked - expected : 0;
	excess = smaller_of(smaller_of(excess, tp->snd_cwnd), EXCESS_MAX);
	if (excess > state->excess[1])
		state->excess[1] = (__u16)excess;
}

static __always_inline void check_full_rate(struct bbr3 *state, const struct told *told)
{
	if (state->full_now || !state->is_round_start || told->is_app_limited)
		return;
	if (told->rate >= bbr3_share(state->full_rate, FULL_GROWTH)) {
		reset_full_rate(state, told->rate);
		return;
	}
	if (state->full_rounds < FULL_ROUNDS)
		state->full_rounds++;
	if (state->full_rounds == FULL_ROUNDS) {
		state->full_now = 1;
		state->full_reached = 1;
	}
}

static __always_inline void check_startup_and_drain(struct sock *sk, struct bbr3 *state, const struct told *told)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!state->full_reached && state->is_loss_round_start && state->ca_state == TCP_CA_Recovery &&
	    state->loss_events >= LOSS_EVENTS_FULL && is_too_high(told)) {
		state->full_reached = 1;
		state->undo_phase = STARTUP;
		state->long_in_flight = larger_of(product(state, max_rate(state), BBR3_UNIT), state->latest_in_flight);
	}
	if (state->phase == STARTUP && state->full_reached) {
		state->phase = DRAIN;
		state->drain_rounds = 0;
	}
	if (state->phase == DRAIN && (packets_in_flight(tp) <= quantized(sk, state, product(state, model_rate(state), BBR3_UNIT)) ||
				      state->drain_rounds > DRAIN_ROUNDS))
		start_down(tp, state);
}

static __always_inline void probe_upward(const struct tcp_sock *tp, struct bbr3 *state, __u32 acked)
{
	__u32 each = bbr3_acks_to_raise(tp->snd_cwnd, state->up_rounds == 0 ? 0 : state->up_rounds - 1), steps;

	if (!BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited) || tp->snd_cwnd < state->long_in_flight)
		return;
	state->up_acked += acked;
	steps = state->up_acked / each;
	state->up_acked -= steps * each;
	state->long_in_flight += steps;
	if (state->is_round_start)
		raise_slope(state);
}

/* Returns whether it has begun another phase. */
static __always_inline _Bool adapt_long_term(const struct tcp_sock *tp, struct bbr3 *state, const struct told *told)
{
	if (state->ack_phase == ACKS_PROBE_STARTING && state->is_round_start)
		state->ack_phase = ACKS_PROBE_FEEDBACK;
	if (state->ack_phase == ACKS_PROBE_STOPPING && state->is_round_start) {
		state->is_probe_sample = 0;
		state->ack_phase = ACKS_INIT;
		if (is_probing_bw(state) && !told->is_app_limited && state->rates[1] != 0) {
			state->rates[0] = state->rates[1];
			state->rates[1] = 0;
		}
		if (is_probing_bw(state) && state->was_precautionary && !state->was_too_high) {
			start_refill(tp, state);
			return 1;
		}
	}
	if (state->long_in_flight == BBR3_NONE || is_too_high(told))
		return 0;
	if (told->sent_in_flight > state->long_in_flight)
		state->long_in_flight = told->sent_in_flight;
	if (state->phase == UP)
		probe_upward(tp, state, told->acked);
	return 0;
}

static __always_inline _Bool is_time_to_probe(const struct tcp_sock *tp, const struct bbr3 *state)
{
	__u32 rounds = smaller_of(product(state, model_rate(state), BBR3_UNIT), tp->snd_cwnd);

	return now_us(tp) - state->phase_at > probe_after_ms + state->wait_ms * 1000 ||
	       state->rounds_since_probe >= smaller_of(rounds, RENO_ROUNDS_MAX);
}

static __always_inline _Bool is_time_to_go_down(const struct tcp_sock *tp, struct bbr3 *state, const struct told *told)
{
	if (state->was_too_high && packets_in_flight(tp) >= state->long_in_flight) {
		state->was_precautionary = 1;
		return 1;
	}
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited) && tp->snd_cwnd >= state->long_in_flight) {
		reset_full_rate(state, told->rate);
		return 0;
	}
	return state->full_now;
}

static __always_inline void update_phase(struct sock *sk, struct bbr3 *state, const struct told *told)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 in_flight = packets_in_flight(tp);

	if (!state->full_reached || adapt_long_term(tp, state, told))
		return;
	if (state->phase == DOWN || state->phase == CRUISE) {
		if (is_time_to_probe(tp, state))
			start_refill(tp, state);
		else if (in_flight <= bbr3_with_headroom(state->long_in_flight, headroom) &&
			 in_flight <= quantized(sk, state, product(state, max_rate(state), BBR3_UNIT)))
			state->phase = CRUISE;
	} else if (state->phase == REFILL && state->is_round_start) {
		state->is_probe_sample = 1;
		start_up(tp, state, told->rate);
	} else if (state->phase == UP && is_time_to_go_down(tp, state, told)) {
		state->was_too_high = 0;
		start_down(tp, state);
	}
}

static __always_inline void update_min_rtt(const struct tcp_sock *tp, struct bbr3 *state, long rtt_us)
{
	__u32 now = now_us(tp);

	state->rtt_expired = now - state->probe_rtt_at > probe_rtt_after_ms;
	if (rtt_us > 0 && ((__u32)rtt_us < state->probe_rtt_us || state->rtt_expired)) {
		state->probe_rtt_us = (__u32)rtt_us;
		state->probe_rtt_at = now;
	}
	if (state->probe_rtt_us < state->min_rtt_us || now - state->min_rtt_at > MIN_RTT_US) {
		state->min_rtt_us = state->probe_rtt_us;
		state->min_rtt_at = state->probe_rtt_at;
	}
}

static __always_inline __u32 probe_rtt_window(const struct bbr3 *state)
{
	return larger_of(product(state, model_rate(state), PROBE_RTT_GAIN), BBR3_WINDOW_MIN);
}

static __always_inline void check_probe_rtt_done(struct tcp_sock *tp, struct bbr3 *state)
{
	if (!state->is_end_set || (__s32)(now_us(tp) - state->phase_at) <= 0)
		return;
	state->probe_rtt_at = now_us(tp);
	restore_window(tp, state);
	forget_short_term(state);
	if (state->full_reached) {
		start_down(tp, state);
		state->phase = CRUISE;
	} else {
		state->phase = STARTUP;
	}
}

static __always_inline void check_probe_rtt(struct tcp_sock *tp, struct bbr3 *state, const struct told *told)
{
	if (state->phase != PROBE_RTT && state->rtt_expired && !state->is_restarting) {
		save_window(tp, state);
		state->phase = PROBE_RTT;
		state->is_end_set = 0;
		state->ack_phase = ACKS_PROBE_STOPPING;
		start_round(tp, state);
	}
	if (state->phase == PROBE_RTT) {
		__u32 until = tp->delivered + packets_in_flight(tp);

		tp->app_limited = until == 0 ? 1 : until; /* such low rates say nothing of the path */
		if (!state->is_end_set && packets_in_flight(tp) <= probe_rtt_window(state)) {
			state->phase_at = now_us(tp) + PROBE_RTT_US;
			state->is_end_set = 1;
			state->round_done = 0;
			start_round(tp, state);
		} else if (state->is_end_set) {
			if (state->is_round_start)
				state->round_done = 1;
			if (state->round_done)
				check_probe_rtt_done(tp, state);
		}
	}
	if (told->is_valid && told->delivered > 0)
		state->is_restarting = 0;
}

/* What follows from the model */

static __always_inline __u32 pacing_gain(const struct bbr3 *state)
{
	if (state->phase == STARTUP)
		return startup_gain;
	if (state->phase == DRAIN)
		return drain_gain;
	if (state->phase == DOWN)
		return down_gain;
	return state->phase == UP ? up_gain : BBR3_UNIT;
}

static __always_inline void pace(struct sock *sk, const struct bbr3 *state, __u32 gain)
{
	__u64 rate = bbr3_pacing_rate(model_rate(state), tcp_sk(sk)->mss_cache, gain);

	if (rate != 0 && (state->full_reached || rate > sk->sk_pacing_rate))
		set_pacing_rate(sk, rate);
}

static __always_inline void use_window(struct sock *sk, const struct bbr3 *state, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 gain = state->phase == UP ? window_gain + window_gain / 8 : window_gain;
	__u32 window = tp->snd_cwnd, limit = BBR3_NONE, target;

	if (state->phase == PROBE_RTT)
		gain = PROBE_RTT_GAIN;
	target = quantized(sk, state, product(state, model_rate(state), gain) + larger_of(state->excess[0], state->excess[1]));
	if (state->full_reached)
		window = smaller_of(window + acked, target);
	else if (window < target || tp->delivered < 10)
		window += acked;
	window = larger_of(window, BBR3_WINDOW_MIN);
	if (state->phase == PROBE_RTT)
		window = smaller_of(window, probe_rtt_window(state));
	if (state->phase == PROBE_RTT || state->phase == CRUISE)
		limit = bbr3_with_headroom(state->long_in_flight, headroom);
	else if (is_probing_bw(state))
		limit = state->long_in_flight;
	limit = larger_of(smaller_of(limit, state->short_in_flight), BBR3_WINDOW_MIN);
	set_window(tp, smaller_of(window, limit));
}

static __always_inline void listen(const struct tcp_sock *tp, const struct bbr3 *state, const struct rate_sample *rates, struct told *told)
{
	__u32 this_round = (__u16)((__u16)tp->lost - state->lost_at_start);
	__u32 round_before = (__u16)(state->lost_at_start - state->lost_before);

	told->is_valid = rates->delivered > 0 && rates->interval_us > 0;
	told->delivered = told->is_valid ? (__u32)rates->delivered : 0;
	told->rate = told->is_valid ? bbr3_rate(told->delivered, (__u32)rates->interval_us) : 0;
	told->prior_delivered = rates->prior_delivered;
	told->is_app_limited = rates->is_app_limited;
	told->acked = rates->acked_sacked;
	told->lost = bbr3_lost_since(this_round, round_before, tp->delivered - state->round_end, told->delivered);
	told->sent_in_flight = told->delivered + told->lost;
}

/* After every acknowledgement, whatever the state of loss recovery; the kernel does nothing else to the window. */
CALLBACK(void, bbr3, cong_control)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr3 *state = STATE_OF(sk, bbr3);
	const struct rate_sample *rates = RATES_OF(ctx);
	struct told told;

	listen(tp, state, rates, &told);
	if (rates->losses > 0)
		note_loss(tp, state);
	check_too_high(tp, state, &told);
	update_rates(tp, state, &told);
	adapt_to_loss(tp, state);
	update_excess(tp, state, told.acked);
	check_full_rate(state, &told);
	check_startup_and_drain(sk, state, &told);
	if (state->is_loss_round_start) {
		state->has_loss = 0;
		state->loss_events = 0;
	}
	update_phase(sk, state, &told);
	update_min_rtt(tp, state, rates->rtt_us);
	check_probe_rtt(tp, state, &told);
	if (state->is_loss_round_start) {
		state->latest_rate = told.rate;
		state->latest_in_flight = told.delivered;
	}
	pace(sk, state, pacing_gain(state));
	use_window(sk, state, told.acked);
}

CALLBACK(void, bbr3, init)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr3 *state = STATE_OF(sk, bbr3);
	__u32 rtt_us = smoothed_rtt_us(tp), now = now_us(tp);

	state->min_rtt_us = state->probe_rtt_us = rtt_us == 0 ? BBR3_NONE : rtt_us;
	state->min_rtt_at = state->probe_rtt_at = state->aggregate_at = now;
	state->round_end = state->loss_round_end = tp->delivered;
	state->lost_at_start = state->lost_before = (__u16)tp->lost;
	state->long_in_flight = BBR3_NONE;
	state->undo_phase = NOTHING_TO_UNDO;
	forget_short_term(state);
	pace_in_usual_bursts(sk);
	set_pacing_rate(sk, bbr3_pacing_rate(bbr3_rate(tp->snd_cwnd, rtt_us == 0 ? 1000 : rtt_us), tp->mss_cache, startup_gain));
}

/* The kernel asks as a loss is found, before it changes the window; the model alone limits what is in flight. */
CALLBACK(__u32, bbr3, ssthresh)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));

	save_window(tp, STATE_OF(SOCK_OF(ctx), bbr3));
	return tp->snd_ssthresh;
}

CALLBACK(void, bbr3, set_state)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct bbr3 *state = STATE_OF(SOCK_OF(ctx), bbr3);
	__u32 ca_state = (__u8)ctx[1];

	if (ca_state == TCP_CA_Loss)
		save_limits(state);
	else if (ca_state < TCP_CA_Recovery && state->ca_state >= TCP_CA_Recovery)
		restore_window(tp, state);
	state->ca_state = ca_state & 7;
}

/* A loss was none after all: the limits and the phase before it hold again. */
CALLBACK(__u32, bbr3, undo_cwnd)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct bbr3 *state = STATE_OF(SOCK_OF(ctx), bbr3);

	state->has_loss = 0;
	reset_full_rate(state, 0);
	state->short_rate = larger_of(state->short_rate, state->undo_short_rate);
	state->short_in_flight = larger_of(state->short_in_flight, state->undo_short);
	state->long_in_flight = larger_of(state->long_in_flight, state->undo_long);
	if (state->undo_phase == STARTUP && state->phase != STARTUP) {
		state->full_reached = 0;
		if (state->phase != PROBE_RTT)
			state->phase = STARTUP;
	} else if (state->undo_phase == UP && state->phase != UP && state->phase != PROBE_RTT) {
		start_refill(tp, state);
	}
	state->undo_phase = NOTHING_TO_UNDO;
	return larger_of(tp->snd_cwnd, state->prior_window);
}

/* The first packet after silence. */
CALLBACK(void, bbr3, cwnd_event)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr3 *state = STATE_OF(sk, bbr3);

	if ((__u32)ctx[1] != CA_EVENT_TX_START || tp->app_limited == 0)
		return;
	state->is_restarting = 1;
	state->aggregate_at = now_us(tp);
	state->aggregate_acked = 0;
	if (is_probing_bw(state))
		pace(sk, state, BBR3_UNIT);
	else if (state->phase == PROBE_RTT)
		check_probe_rtt_done(tp, state);
}

/* The send buffer has room for three windows, since rounds may begin before losses are repaired. */
CALLBACK(__u32, bbr3, sndbuf_expand)
{
	return 3;
}

REGISTER(bbr3, HAS(bbr3, init), HAS(bbr3, cong_control), HAS(bbr3, set_state), HAS(bbr3, sndbuf_expand), HAS_EVENTS(bbr3));
