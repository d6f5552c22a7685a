// SPDX-License-Identifier: GPL-2.0
/* msstcp: MSS-TCP, grows by the square root of MSS times a ratio of RTTs.
 *
 * Source: O. Alramli et al., "MSS-TCP: A congestion control algorithm for boosting TCP performance in mmWave cellular networks",
 * ICT Express (2025), doi 10.1016/j.ict.2025.05.005 as printed, Algorithm 1 and equations (4) to (6). For each packet acknowledged:
 *
 *     Time Ratio = (RTT_max + RTT_base) / RTT_cur
 *     Factor     = sqrt(MSS x Time Ratio)
 *     w         <- w + Factor / w
 *
 * RTT_cur the last RTT, RTT_base and RTT_max the smallest and largest that were seen in congestion avoidance. Algorithm 1 looks at them
 * there alone (lines 8 to 14), neither in slow start nor after three duplicate acknowledgements. MSS is counted in bytes, as ns-3, where the
 * authors measured, counts a segment's size; w in packets. (With MSS in packets it would be 1, and "relying on the MSS magnitude
 * value" would say nothing.) So a path without queue grows by sqrt(2 x 1000) = 44 packets an RTT at an MSS of 1000.
 * "Multiplicative decrease" is not given a number in the paper; standard TCP's 1/2 is taken. Slow start is standard.
 *
 * After a retransmission time-out the paper "resets its cwnd to the initial value". Here that is 1 packet, as the kernel has it whatever
 * the scheme (RFC 5681, section 3.1), and as in ns-3's socket, with which the authors measured. `timeout_window` sets another value;
 * 10 is Linux's initial window.
 */
#include "scheme.h"
#include "msstcp_factor.h"
#include "settable.h"

SETTABLE(timeout_window, 1, 1, 1, 10); /* packets after a retransmission time-out; 10 is the kernel's initial window */

struct msstcp {
	__u64 credit;
	__u32 last_us; /* RTT of the last acknowledgement that gave one; 0: none yet */
	struct rtts rtts; /* of congestion avoidance */
};

CALLBACK(void, msstcp, pkts_acked)
{
	if (SAMPLE_OF(ctx)->rtt_us > 0)
		STATE_OF(SOCK_OF(ctx), msstcp)->last_us = SAMPLE_OF(ctx)->rtt_us;
}

CALLBACK(void, msstcp, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct msstcp *state = STATE_OF(SOCK_OF(ctx), msstcp);
	const struct rtts *rtts = &state->rtts;
	__u32 acked;

	if (!in_slow_start(tp))
		note_rtt_us(&state->rtts, state->last_us);
	acked = after_slow_start(tp, ACKED_OF(ctx));
	if (acked)
		grow(tp, &state->credit, msstcp_factor(tp->mss_cache, rtts->most_us, rtts->least_us, rtts->last_us), acked);
}

CALLBACK(void, msstcp, set_state)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));

	if ((__u8)ctx[1] == TCP_CA_Loss && tp->snd_cwnd < timeout_window)
		tp->snd_cwnd = timeout_window;
}

HALVES_AFTER_LOSS(msstcp)
UNDOES_LIKE_STANDARD_TCP(msstcp)

REGISTER(msstcp, HAS(msstcp, cong_avoid), HAS(msstcp, pkts_acked), HAS(msstcp, set_state));
