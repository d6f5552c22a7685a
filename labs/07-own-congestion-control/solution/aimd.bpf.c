// SPDX-License-Identifier: GPL-2.0
/* aimd: additive increase, multiplicative decrease.
 *
 * Source: D.-M. Chiu, R. Jain, Computer Networks and ISDN Systems 17 (1989) 1; RFC 5681, section 3.1.
 */
#include "scheme.h"

struct aimd {
	__u32 acked; /* packets acknowledged since the window grew last */
};

CALLBACK(void, aimd, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct aimd *state = STATE_OF(SOCK_OF(ctx), aimd);
	__u32 acked = ACKED_OF(ctx);

	if (!is_window_limited(tp))
		return;
	if (in_slow_start(tp)) {
		__u32 room = tp->snd_ssthresh - tp->snd_cwnd;
		__u32 taken = acked < room ? acked : room;

		set_window(tp, tp->snd_cwnd + taken);
		acked -= taken;
	}
	state->acked += acked;
	if (state->acked >= tp->snd_cwnd) {
		state->acked -= tp->snd_cwnd;
		set_window(tp, tp->snd_cwnd + 1);
	}
}

CALLBACK(__u32, aimd, ssthresh)
{
	__u32 half = tcp_sk(SOCK_OF(ctx))->snd_cwnd / 2;

	return half < 2 ? 2 : half;
}

CALLBACK(__u32, aimd, undo_cwnd)
{
	const struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));

	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

REGISTER(aimd, HAS(aimd, cong_avoid));
