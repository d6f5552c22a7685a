// SPDX-License-Identifier: GPL-2.0
/* msstcp: MSS-TCP, grows by the square root of MSS times a ratio of RTTs.
 *
 * Source: O. Alramli et al., "MSS-TCP: A congestion control algorithm for boosting TCP performance in mmWave cellular networks",
 * ICT Express (2025), doi 10.1016/j.icte.2025.05.005, Algorithm 1 and equations (4) to (6). For each packet acknowledged:
 *
 *     Time Ratio = (RTT_max + RTT_base) / RTT_cur
 *     Factor     = sqrt(MSS x Time Ratio)
 *     w         <- w + Factor / w
 *
 * RTT_cur the last RTT, RTT_base and RTT_max the smallest and largest of the connection. MSS is counted in bytes, as ns-3, where the
 * authors measured, counts a segment's size; w in packets. (With MSS in packets it would be 1, and "relying on the MSS magnitude
 * value" would say nothing.) So a path without queue grows by sqrt(2 x 1000) = 44 packets an RTT at an MSS of 1000.
 * "Multiplicative decrease" is not given a number in the paper; standard TCP's 1/2 is taken. Slow start is standard.
 */
#include "tcp_window.h"
#include "msstcp_factor.h"

char _license[] SEC("license") = "GPL";

struct msstcp {
	__u64 credit;
	__u32 rtt_us;	   /* last; 0: none yet */
	__u32 rtt_base_us; /* smallest */
	__u32 rtt_max_us;
};

SEC("struct_ops/msstcp_pkts_acked")
void msstcp_pkts_acked(__u64 *ctx)
{
	struct msstcp *state = STATE_OF(SOCK_OF(ctx), msstcp);
	__s32 rtt_us = SAMPLE_OF(ctx)->rtt_us;

	if (rtt_us <= 0)
		return;
	state->rtt_us = rtt_us;
	if (state->rtt_base_us == 0 || (__u32)rtt_us < state->rtt_base_us)
		state->rtt_base_us = rtt_us;
	if ((__u32)rtt_us > state->rtt_max_us)
		state->rtt_max_us = rtt_us;
}

SEC("struct_ops/msstcp_cong_avoid")
void msstcp_cong_avoid(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct msstcp *state = STATE_OF(sk, msstcp);
	__u32 acked = ACKED_OF(ctx);
	__u64 factor;

	if (!is_window_limited(tp))
		return;
	if (in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	factor = msstcp_factor(tp->mss_cache, state->rtt_max_us, state->rtt_base_us, state->rtt_us);
	grow(tp, &state->credit, factor, acked);
}

SEC("struct_ops/msstcp_ssthresh")
__u32 msstcp_ssthresh(__u64 *ctx)
{
	return half_window(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

SEC("struct_ops/msstcp_undo_cwnd")
__u32 msstcp_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC(".struct_ops")
struct tcp_congestion_ops msstcp = {
	.cong_avoid = (void *)msstcp_cong_avoid,
	.pkts_acked = (void *)msstcp_pkts_acked,
	.ssthresh = (void *)msstcp_ssthresh,
	.undo_cwnd = (void *)msstcp_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "msstcp",
};
