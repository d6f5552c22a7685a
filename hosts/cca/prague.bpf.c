// SPDX-License-Identifier: GPL-2.0
/* prague: a scalable congestion control for the Internet's low-latency queues (L4S).
 *
 * Source: K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, "Prague Congestion Control", draft-briscoe-iccrg-prague-congestion-control;
 * RFC 9331 has the requirements. Its packets are ECT(1). With M the share of packets that were marked:
 *
 *     alpha <- (1 - g) alpha + g M            once a virtual RTT; g = 1/16, alpha = 1 with the first mark
 *     w     <- w (1 - alpha / 2)              at most once a virtual RTT, in which something was marked
 *     w     <- w + (RTT / virtual RTT)^2 / w  for each packet without a mark, also while the window is being cut
 *
 * The virtual RTT is 25 ms, or the RTT where that is longer. A loss halves the window. Packets are paced at one window an RTT, two of them
 * in slow start, in bursts of a quarter of a millisecond at most.
 *
 * Marks are told by Accurate ECN (RFC 9768) where the kernel has it, else by the receiver's part of DCTCP (echo_of_marks.h).
 *
 * Not here: telling a classic queue from an L4S one by its delay, which the draft leaves to experiments, and independence of the RTT only
 * after many rounds. After silence a connection goes on at its window, paced.
 */
#define SCHEME_FLAGS TCP_CONG_NEEDS_ECN
#include "scheme.h"
#include "dctcp_alpha.h"
#include "echo_of_marks.h"
#include "prague_growth.h"
#include "settable.h"
#include "window_rate.h"

SETTABLE(g, 1024, 64, 1, 1024);			     /* weight of the last virtual RTT */
SETTABLE(virtual_rtt_ms, 1000, 25000, 1, 1000000); /* RTTs that are shorter count as this one */

struct prague {
	__u64 credit;
	__u64 counted_us; /* time of the last change of alpha */
	__u64 cut_us;	  /* and of the last cut for a mark */
	__u32 round_end;
	__u32 alpha;
	__u32 owed;	 /* of a packet that the window is to be smaller by */
	__u32 delivered; /* and marked: when alpha was changed */
	__u32 delivered_ce;
	__u32 seen; /* the same: with the last acknowledgement */
	__u32 seen_ce;
	struct received received;
	__u8 ca_state;
	__u8 saw_mark;
};

CALLBACK(void, prague, init)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct prague *state = STATE_OF(SOCK_OF(ctx), prague);

	state->delivered = state->seen = tp->delivered;
	state->delivered_ce = state->seen_ce = tp->delivered_ce;
	begin_receiving(tp, &state->received);
	begin_round(tp, &state->round_end);
	pace_in_short_bursts(SOCK_OF(ctx));
	send_as_ect1(SOCK_OF(ctx));
}

CALLBACK(void, prague, release)
{
	send_as_usual(SOCK_OF(ctx));
}

static __always_inline void pace(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u64 rate = window_rate(tp->snd_cwnd, tp->mss_cache, smoothed_rtt_us(tp));

	if (in_slow_start(tp))
		rate *= 2;
	if (rate != 0)
		set_pacing_rate(sk, rate);
}

static __always_inline void update_alpha(struct tcp_sock *tp, struct prague *state, __u32 virtual_us)
{
	if (tp->tcp_mstamp - state->counted_us < virtual_us || !round_is_over(tp, &state->round_end))
		return;
	if (state->saw_mark)
		state->alpha = dctcp_alpha(state->alpha, tp->delivered_ce - state->delivered_ce, tp->delivered - state->delivered, g);
	state->delivered = tp->delivered;
	state->delivered_ce = tp->delivered_ce;
	state->counted_us = tp->tcp_mstamp;
}

static __always_inline void cut(struct tcp_sock *tp, struct prague *state, __u32 virtual_us)
{
	if (state->ca_state >= TCP_CA_Recovery || (state->cut_us != 0 && tp->tcp_mstamp - state->cut_us < virtual_us))
		return;
	if (!state->saw_mark) {
		state->saw_mark = 1;
		state->alpha = ALPHA_ONE;
	}
	tp->snd_cwnd = dctcp_reduced_window(&state->owed, tp->snd_cwnd, state->alpha);
	tp->snd_ssthresh = tp->snd_cwnd;
	state->cut_us = tp->tcp_mstamp;
}

/* After every acknowledgement, whatever the state of loss recovery; the kernel does nothing else to the window. */
CALLBACK(void, prague, cong_control)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct prague *state = STATE_OF(SOCK_OF(ctx), prague);
	__u32 rtt_us = smoothed_rtt_us(tp), virtual_us = prague_virtual_rtt_us(rtt_us, virtual_rtt_ms);
	__u32 acked = tp->delivered - state->seen, marked = tp->delivered_ce - state->seen_ce;

	state->seen = tp->delivered;
	state->seen_ce = tp->delivered_ce;
	update_alpha(tp, state, virtual_us);
	if (marked != 0)
		cut(tp, state, virtual_us);
	if (state->ca_state != TCP_CA_Recovery && acked > marked) {
		acked = after_slow_start(tp, acked - marked);
		if (acked != 0)
			grow(tp, &state->credit, prague_growth(rtt_us, virtual_us), acked);
	}
	pace(SOCK_OF(ctx));
}

/* The kernel asks when it hears of a mark, too, for which cong_control has cut the window. */
CALLBACK(__u32, prague, ssthresh)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));

	return tp->lost_out != 0 ? half_window(tp->snd_cwnd) : tp->snd_cwnd;
}

CALLBACK(void, prague, set_state)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct prague *state = STATE_OF(SOCK_OF(ctx), prague);

	state->ca_state = (__u8)ctx[1];
	if (state->ca_state == TCP_CA_Recovery) {
		tp->snd_cwnd = half_window(tp->snd_cwnd);
		tp->snd_ssthresh = tp->snd_cwnd;
	}
}

UNDOES_LIKE_STANDARD_TCP(prague)

CALLBACK(void, prague, cwnd_event)
{
	echo_mark(tcp_sk(SOCK_OF(ctx)), &STATE_OF(SOCK_OF(ctx), prague)->received, (__u32)ctx[1]);
}

REGISTER(prague, HAS(prague, init), HAS(prague, release), HAS(prague, cong_control), HAS(prague, set_state), HAS_EVENTS(prague));
