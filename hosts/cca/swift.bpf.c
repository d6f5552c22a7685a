// SPDX-License-Identifier: GPL-2.0
/* swift: Swift, keeps the delay at a target, with windows of less than a packet where many share a link.
 *
 * Source: G. Kumar, N. Dukkipati, K. Jang, et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", ACM SIGCOMM
 * 2020, Algorithm 1. With the RTT of each acknowledgement as the delay:
 *
 *     delay < target:  w + acked / w, or w + acked where w < 1
 *     else:            w max(1 - beta (delay - target) / delay, 1 - max_mdf), once an RTT
 *     a loss:          w (1 - max_mdf), once an RTT
 *     target:          that of the path + scaling_us (1 / sqrt(w) - 1 / sqrt(100)) / (1 / sqrt(0.1) - 1 / sqrt(100)), within its range
 *
 * beta = 0.8, max_mdf = 0.5. A window below two packets is paced: one window an RTT.
 *
 * Here the path's target is the smallest RTT and `target_us`, where the paper has a time for each hop: networks here have RTTs of
 * milliseconds. The two times are this testbed's; the paper's are some ten microseconds. For the same reason the smallest window is a tenth
 * of a packet, and not a thousandth: that would be silence for seconds. Receivers do not tell the delay of their host, so
 * there is one window, for the network and the hosts together. The paper has no slow start. Here the window doubles each round until the
 * delay is above its target for the first time, and again after a time-out, which leaves one packet as in Linux.
 */
#include "scheme.h"
#include "settable.h"
#include "swift_target.h"
#include "window_rate.h"

SETTABLE(target_us, 1, 2000, 1, 1000000);  /* of the queue, for large windows */
SETTABLE(scaling_us, 1, 8000, 0, 1000000); /* more for small ones, at most; 0: none */
SETTABLE(beta, 1024, 819, 1, 1024);	   /* share of the excess that the window shrinks by */
SETTABLE(max_mdf, 1024, 512, 1, 1023);	   /* share of the window that it shrinks by at most */

struct swift {
	__u64 window;
	__u64 cut_us; /* time of the last decrease */
	__u32 seen;   /* packets delivered, at the last acknowledgement */
	struct rtts rtts;
	__u8 is_starting;
};

CALLBACK(void, swift, init)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct swift *state = STATE_OF(SOCK_OF(ctx), swift);

	state->seen = tp->delivered;
	state->is_starting = 1;
	pace_in_short_bursts(SOCK_OF(ctx));
}

CALLBACK(void, swift, pkts_acked)
{
	note_rtt(&STATE_OF(SOCK_OF(ctx), swift)->rtts, SAMPLE_OF(ctx));
}

static __always_inline _Bool may_shrink(const struct tcp_sock *tp, const struct swift *state)
{
	return state->cut_us == 0 || tp->tcp_mstamp - state->cut_us >= smoothed_rtt_us(tp);
}

static __always_inline void use_window(struct sock *sk, const struct swift *state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u64 rate = window_rate(1, tp->mss_cache, smoothed_rtt_us(tp)) * (state->window / 64) / (ONE_PACKET / 64);

	set_window(tp, (__u32)(state->window >> FRACTION_BITS));
	tp->snd_ssthresh = tp->snd_cwnd; /* nobody is to take a small window for slow start */
	if (state->window >= WINDOW_MIN * ONE_PACKET)
		rate *= 2; /* the window limits the sender */
	if (rate != 0)
		set_pacing_rate(sk, rate);
}

/* After every acknowledgement, whatever the state of loss recovery; the kernel does nothing else to the window. */
CALLBACK(void, swift, cong_control)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct swift *state = STATE_OF(sk, swift);
	__u32 acked = tp->delivered - state->seen, goal_us, least = (__u32)(state->window >> FRACTION_BITS);

	state->seen = tp->delivered;
	if (state->rtts.last_us == 0 || acked == 0)
		return;
	if (tp->snd_cwnd != (least < WINDOW_MIN ? WINDOW_MIN : least))
		state->window = (__u64)tp->snd_cwnd << FRACTION_BITS; /* the kernel has made it another one */
	goal_us = state->rtts.least_us + target_us + swift_scaling_us(state->window, scaling_us);
	if (state->rtts.last_us >= goal_us) {
		state->is_starting = 0;
		if (may_shrink(tp, state)) {
			state->window = swift_shrunk(state->window, state->rtts.last_us, goal_us, beta, max_mdf);
			state->cut_us = tp->tcp_mstamp;
		}
	} else if (is_window_limited(tp) || state->window < WINDOW_MIN * ONE_PACKET) {
		state->window = state->is_starting ? state->window + ((__u64)acked << FRACTION_BITS) : swift_grown(state->window, acked);
	}
	use_window(sk, state);
}

CALLBACK(__u32, swift, ssthresh)
{
	return tcp_sk(SOCK_OF(ctx))->snd_cwnd;
}

CALLBACK(void, swift, set_state)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct swift *state = STATE_OF(sk, swift);
	__u8 ca_state = (__u8)ctx[1];

	if (ca_state == TCP_CA_Loss) {
		state->is_starting = 1;
	} else if (ca_state == TCP_CA_Recovery && may_shrink(tp, state)) {
		state->is_starting = 0;
		state->window -= state->window * max_mdf / SWIFT_UNIT;
		if (state->window < SWIFT_WINDOW_MIN)
			state->window = SWIFT_WINDOW_MIN;
		state->cut_us = tp->tcp_mstamp;
		use_window(sk, state);
	}
}

UNDOES_LIKE_STANDARD_TCP(swift)

REGISTER(swift, HAS(swift, init), HAS(swift, cong_control), HAS(swift, pkts_acked), HAS(swift, set_state));
