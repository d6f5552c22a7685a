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
#include "scheme.h"
#include "msstcp_factor.h"

struct msstcp {
	__u64 credit;
	struct rtts rtts;
};

CALLBACK(void, msstcp, pkts_acked)
{
	note_rtt(&STATE_OF(SOCK_OF(ctx), msstcp)->rtts, SAMPLE_OF(ctx));
}

CALLBACK(void, msstcp, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct msstcp *state = STATE_OF(SOCK_OF(ctx), msstcp);
	const struct rtts *rtts = &state->rtts;
	__u32 acked = after_slow_start(tp, ACKED_OF(ctx));

	if (acked)
		grow(tp, &state->credit, msstcp_factor(tp->mss_cache, rtts->most_us, rtts->least_us, rtts->last_us), acked);
}

HALVES_AFTER_LOSS(msstcp)
UNDOES_LIKE_STANDARD_TCP(msstcp)

REGISTER(msstcp, HAS(msstcp, cong_avoid), HAS(msstcp, pkts_acked));
