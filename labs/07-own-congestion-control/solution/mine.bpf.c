// SPDX-License-Identifier: GPL-2.0
/* mine: keeps a few packets in the queue, whatever the rate is.
 *
 * Source: the equation of FAST TCP (C. Jin, D. X. Wei, S. H. Low, INFOCOM 2004), once a round trip:
 *     w := min(2 w, (w + w baseRTT / RTT + alpha) / 2)
 * with alpha = 4 packets. Slow start ends as soon as the RTT is a quarter above the smallest one.
 */
#include "scheme.h"

#define QUEUED 4	 /* packets that it wants to have in the queue */
#define WINDOW_MAX (1U << 20) /* keeps the products below within 64 bits */

struct mine {
	__u32 round_end;
	struct rtts rtts;
};

CALLBACK(void, mine, init)
{
	begin_round(tcp_sk(SOCK_OF(ctx)), &STATE_OF(SOCK_OF(ctx), mine)->round_end);
}

CALLBACK(void, mine, pkts_acked)
{
	note_rtt(&STATE_OF(SOCK_OF(ctx), mine)->rtts, SAMPLE_OF(ctx));
}

CALLBACK(void, mine, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct mine *state = STATE_OF(SOCK_OF(ctx), mine);
	__u64 rtt_us = state->rtts.last_us, base_us = state->rtts.least_us, window = tp->snd_cwnd, wanted;

	if (rtt_us == 0 || base_us == 0 || window > WINDOW_MAX)
		return;
	if (in_slow_start(tp)) {
		if (4 * rtt_us <= 5 * base_us) {
			after_slow_start(tp, ACKED_OF(ctx));
			return;
		}
		tp->snd_ssthresh = tp->snd_cwnd;
	}
	if (!round_is_over(tp, &state->round_end))
		return;
	wanted = (window + window * base_us / rtt_us + QUEUED) / 2;
	if (wanted > window && !is_window_limited(tp))
		return;
	set_window(tp, (__u32)(wanted < 2 * window ? wanted : 2 * window));
	if (tp->snd_ssthresh > tp->snd_cwnd)
		tp->snd_ssthresh = tp->snd_cwnd;
}

HALVES_AFTER_LOSS(mine)
UNDOES_LIKE_STANDARD_TCP(mine)

REGISTER(mine, HAS(mine, init), HAS(mine, cong_avoid), HAS(mine, pkts_acked));
