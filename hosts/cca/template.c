// SPDX-License-Identifier: GPL-2.0
/* mycca: what it does, in one line.
 *
 * Source: the paper or RFC, its equations, and every decision that the text leaves to you.
 *
 * To begin: copy this file to hosts/cca/mycca.bpf.c and put your scheme's name for mycca everywhere. docs/write-your-own-cca.md
 * explains the rest. As it stands it is standard TCP: one packet more each round trip, half the window after a loss.
 */
#include "tcp_window.h"

char _license[] SEC("license") = "GPL";

/* Per-connection state: up to 104 bytes, zero at the start. */
struct mycca {
	__u64 credit;	  /* fractions of a packet; see growth.h */
	__u32 rtt_us;	  /* last RTT; 0: none yet */
	__u32 rtt_min_us; /* smallest so far; 0: none yet */
};

/* Every acknowledgement, before anything else: an RTT sample, or a negative number if there is none. */
SEC("struct_ops/mycca_pkts_acked")
void mycca_pkts_acked(__u64 *ctx)
{
	struct mycca *state = STATE_OF(SOCK_OF(ctx), mycca);
	__s32 rtt_us = SAMPLE_OF(ctx)->rtt_us;

	if (rtt_us <= 0)
		return;
	state->rtt_us = rtt_us;
	if (state->rtt_min_us == 0 || (__u32)rtt_us < state->rtt_min_us)
		state->rtt_min_us = rtt_us;
}

/* Every acknowledgement of new data, but not while losses are being repaired: the place to grow. */
SEC("struct_ops/mycca_cong_avoid")
void mycca_cong_avoid(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct mycca *state = STATE_OF(sk, mycca);
	__u32 acked = ACKED_OF(ctx);
	__u64 growth = ONE_PACKET; /* per window of packets, in 65536ths of a packet: YOUR EQUATION HERE */

	if (!is_window_limited(tp))
		return;
	if (in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	grow(tp, &state->credit, growth, acked);
}

/* A loss: the window to go on with. (Called once for all losses of a round trip.) */
SEC("struct_ops/mycca_ssthresh")
__u32 mycca_ssthresh(__u64 *ctx)
{
	return half_window(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

/* The loss turned out to be none: the window to go back to. */
SEC("struct_ops/mycca_undo_cwnd")
__u32 mycca_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC(".struct_ops")
struct tcp_congestion_ops mycca = {
	.cong_avoid = (void *)mycca_cong_avoid,
	.pkts_acked = (void *)mycca_pkts_acked,
	.ssthresh = (void *)mycca_ssthresh,
	.undo_cwnd = (void *)mycca_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mycca",
};
