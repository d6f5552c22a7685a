// SPDX-License-Identifier: GPL-2.0
/* dctcp: Data Center TCP, shrinks the window by the share of packets that switches have marked.
 *
 * Source: S. Bensley et al., "Data Center TCP (DCTCP): TCP Congestion Control for Data Centers", RFC 8257 (2017); M. Alizadeh et al.,
 * "Data Center TCP (DCTCP)", SIGCOMM 2010. Once a window, with M the share of its packets whose acknowledgements have echoed a mark:
 *
 *     alpha <- (1 - g) alpha + g M                    g = 1/16, alpha = 1 at first
 *     w     <- w (1 - alpha / 2)                      at most once a window, in which something was marked
 *
 * Everything else is standard TCP: slow start, one packet a window, half of the window after a loss. The RFC counts bytes, here packets
 * are counted, as the kernel does with marks.
 *
 * The receiver has a part (echo_of_marks.h), so its socket has this congestion control too (dctcp.toml).
 *
 * Linux's own dctcp differs: its alpha has 10 bits, and a cut of less than a packet is none.
 */
#define SCHEME_FLAGS TCP_CONG_NEEDS_ECN
#include "scheme.h"
#include "dctcp_alpha.h"
#include "echo_of_marks.h"
#include "settable.h"

SETTABLE(g, 1024, 64, 1, 1024); /* weight of the last window */

struct dctcp {
	__u64 credit;
	__u32 round_end;
	__u32 alpha;
	__u32 owed;	 /* of a packet that the window is to be smaller by */
	__u32 delivered; /* and marked: at the beginning of the round */
	__u32 delivered_ce;
	struct received received;
};

static __always_inline void begin_counting(const struct tcp_sock *tp, struct dctcp *state)
{
	state->delivered = tp->delivered;
	state->delivered_ce = tp->delivered_ce;
}

CALLBACK(void, dctcp, init)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct dctcp *state = STATE_OF(SOCK_OF(ctx), dctcp);

	state->alpha = ALPHA_ONE;
	begin_receiving(tp, &state->received);
	begin_counting(tp, state);
	begin_round(tp, &state->round_end);
}

/* Before the window is cut, if this acknowledgement does so: the cut is to know of it. */
CALLBACK(void, dctcp, pkts_acked)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct dctcp *state = STATE_OF(SOCK_OF(ctx), dctcp);

	/* The RFC wants something above the window's end; round_is_over() would take a window that is sent at once for two. */
	if ((__s32)(tp->snd_una - state->round_end) <= 0)
		return;
	begin_round(tp, &state->round_end);
	state->alpha = dctcp_alpha(state->alpha, tp->delivered_ce - state->delivered_ce, tp->delivered - state->delivered, g);
	begin_counting(tp, state);
}

CALLBACK(void, dctcp, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	__u32 acked = after_slow_start(tp, ACKED_OF(ctx));

	if (acked != 0)
		grow(tp, &STATE_OF(SOCK_OF(ctx), dctcp)->credit, ONE_PACKET, acked);
}

/* The kernel asks for both, and at most once a window. Only after a loss there are lost packets. */
CALLBACK(__u32, dctcp, ssthresh)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct dctcp *state = STATE_OF(SOCK_OF(ctx), dctcp);

	return tp->lost_out != 0 ? half_window(tp->snd_cwnd) : dctcp_reduced_window(&state->owed, tp->snd_cwnd, state->alpha);
}

/* A loss in a window that marks have cut already: the kernel does not ask again, but a loss counts as a loss (section 3.5). */
CALLBACK(void, dctcp, set_state)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));

	if ((__u8)ctx[1] == TCP_CA_Recovery)
		tp->snd_ssthresh = half_window(tp->snd_cwnd);
}

UNDOES_LIKE_STANDARD_TCP(dctcp)

CALLBACK(void, dctcp, cwnd_event)
{
	echo_mark(tcp_sk(SOCK_OF(ctx)), &STATE_OF(SOCK_OF(ctx), dctcp)->received, (__u32)ctx[1]);
}

REGISTER(dctcp, HAS(dctcp, init), HAS(dctcp, pkts_acked), HAS(dctcp, cong_avoid), HAS(dctcp, set_state), HAS_EVENTS(dctcp));
