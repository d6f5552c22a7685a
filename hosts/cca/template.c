// SPDX-License-Identifier: GPL-2.0
/* mycca: what it does, in one line.
 *
 * Source: the paper or RFC, its equations, and every decision that the text leaves to you.
 *
 * To begin: copy this file to hosts/cca/mycca.bpf.c and put your scheme's name for mycca everywhere. docs/write-your-own-cca.md
 * explains the rest. As it stands it is standard TCP: one packet more each round trip, half the window after a loss.
 */
#include "scheme.h"

/* Per-connection state: up to 104 bytes, zero at the start. */
struct mycca {
	__u64 credit;	  /* fractions of a packet; see growth.h */
	struct rtts rtts; /* last_us, least_us, most_us */
};

/* Every acknowledgement, before anything else. */
CALLBACK(void, mycca, pkts_acked)
{
	note_rtt(&STATE_OF(SOCK_OF(ctx), mycca)->rtts, SAMPLE_OF(ctx));
}

/* Every acknowledgement of new data, but not while losses are being repaired: the place to grow. */
CALLBACK(void, mycca, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct mycca *state = STATE_OF(SOCK_OF(ctx), mycca);
	__u32 acked = after_slow_start(tp, ACKED_OF(ctx));
	__u64 growth = ONE_PACKET; /* per window of packets, in 65536ths of a packet: YOUR EQUATION HERE */

	if (acked)
		grow(tp, &state->credit, growth, acked);
}

/* A loss: the window to go on with. (Called once for all losses of a round trip.) */
CALLBACK(__u32, mycca, ssthresh)
{
	return half_window(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

/* The loss turned out to be none: the window to go back to. */
UNDOES_LIKE_STANDARD_TCP(mycca)

REGISTER(mycca, HAS(mycca, cong_avoid), HAS(mycca, pkts_acked));
