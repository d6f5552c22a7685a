// SPDX-License-Identifier: GPL-2.0
/* libra: TCP Libra, equal rates whatever the RTT.
 *
 * Source: G. Marfia, C. Palazzi, G. Pau, M. Gerla, M. Sanadidi, M. Roccetti, "TCP Libra: Exploring RTT-Fairness for TCP", UCLA Computer
 * Science Department TR 050037, section III.J. W window in packets, T the RTT in seconds:
 *
 *     each packet acknowledged   W <- W + (1 / W) alpha T^2 / (T + T0)
 *     loss                       W <- W - T1 W / (2 (T + T0))
 *     alpha = S P,   S = k1 C    C capacity of the narrowest link, by packet pair (packet_pair.h)
 *     P = one of table II, by `penalty`, with q = (T - T_min) / (T_max - T_min):
 *         1: k2 (1 - q)     2: k2 (1 - q) (2 - q)     3: e^(-k2 q)
 *
 * T0 = T1 = 1 s, k1 = k2 = 2 and the third penalty are what the paper simulates with; all can be set. What it leaves open: the unit of C is
 * Mbit/s, since with it the paper's 622 Mbit/s lies "on the border of stability" by its equation (59), as the paper says (in packets/s it
 * would be far outside). C counts payload. T is the last RTT. Until there is a packet pair the window grows by 1 a round trip. Slow
 * start is the standard one.
 */
#include "tcp_window.h"
#include "libra_window.h"
#include "packet_pair.h"
#include "settable.h"

char _license[] SEC("license") = "GPL";

SETTABLE(t0, 1000000, 1000000, 1000, 100000000); /* T0 in s */
SETTABLE(t1, 1000000, 1000000, 1000, 100000000); /* T1 in s */
SETTABLE(k1, 1000, 2000, 1, 1000000);		 /* k1, packets a second for each Mbit/s */
SETTABLE(k2, 1000, 2000, 1, 100000);		 /* k2 of the penalty */
SETTABLE(penalty, 1, 3, 1, 3);			 /* row of table II */

struct libra {
	__u64 credit;
	struct packet_pairs pairs;
	__u32 acked_at_us; /* time of the last acknowledgement with an RTT; wraps */
	__u32 rtt_us;	   /* last; 0: none yet */
	__u32 rtt_min_us;  /* 0: none yet */
	__u32 rtt_max_us;
};

SEC("struct_ops/libra_pkts_acked")
void libra_pkts_acked(__u64 *ctx)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct libra *state = STATE_OF(SOCK_OF(ctx), libra);
	__s32 rtt_us = SAMPLE_OF(ctx)->rtt_us;
	__u32 now_us = (__u32)tp->tcp_mstamp;

	if (rtt_us <= 0)
		return;
	packet_pair_add(&state->pairs, now_us - state->acked_at_us, SAMPLE_OF(ctx)->pkts_acked, state->rtt_us, rtt_us);
	state->acked_at_us = now_us;
	state->rtt_us = rtt_us;
	if (state->rtt_min_us == 0 || (__u32)rtt_us < state->rtt_min_us)
		state->rtt_min_us = rtt_us;
	if ((__u32)rtt_us > state->rtt_max_us)
		state->rtt_max_us = rtt_us;
}

static __always_inline __u64 growth_of(const struct tcp_sock *tp, const struct libra *state)
{
	__u32 capacity_kbps = packet_pair_capacity_kbps(&state->pairs, tp->mss_cache);

	if (capacity_kbps == 0)
		return ONE_PACKET;
	return libra_growth(libra_alpha(k1, capacity_kbps, libra_penalty(penalty, k2, state->rtt_us, state->rtt_min_us, state->rtt_max_us)),
			    state->rtt_us, t0);
}

SEC("struct_ops/libra_cong_avoid")
void libra_cong_avoid(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct libra *state = STATE_OF(sk, libra);
	__u32 acked = ACKED_OF(ctx);

	if (!is_window_limited(tp))
		return;
	if (in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	grow(tp, &state->credit, growth_of(tp, state), acked);
}

SEC("struct_ops/libra_ssthresh")
__u32 libra_ssthresh(__u64 *ctx)
{
	return libra_after_loss(tcp_sk(SOCK_OF(ctx))->snd_cwnd, STATE_OF(SOCK_OF(ctx), libra)->rtt_us, t0, t1);
}

SEC("struct_ops/libra_undo_cwnd")
__u32 libra_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC(".struct_ops")
struct tcp_congestion_ops libra = {
	.cong_avoid = (void *)libra_cong_avoid,
	.pkts_acked = (void *)libra_pkts_acked,
	.ssthresh = (void *)libra_ssthresh,
	.undo_cwnd = (void *)libra_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "libra",
};
