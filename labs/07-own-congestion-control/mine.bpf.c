// SPDX-License-Identifier: GPL-2.0
/* mine: my entry for the contest.
 *
 * Source: my own. It begins as standard TCP, which fills every queue; all of hosts/cca may be used, and looked at.
 */
#include "scheme.h"

struct mine {
	__u64 credit;	  /* fractions of a packet; see growth.h */
	struct rtts rtts; /* last_us, least_us, most_us */
};

CALLBACK(void, mine, pkts_acked)
{
	note_rtt(&STATE_OF(SOCK_OF(ctx), mine)->rtts, SAMPLE_OF(ctx));
}

CALLBACK(void, mine, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct mine *state = STATE_OF(SOCK_OF(ctx), mine);
	__u32 acked = after_slow_start(tp, ACKED_OF(ctx));

	/* Part 7: YOUR IDEA HERE. What does rtts.last_us over rtts.least_us tell of the queue? */
	if (acked)
		grow(tp, &state->credit, ONE_PACKET, acked);
}

HALVES_AFTER_LOSS(mine)
UNDOES_LIKE_STANDARD_TCP(mine)

REGISTER(mine, HAS(mine, cong_avoid), HAS(mine, pkts_acked));
