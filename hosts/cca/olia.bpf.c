// SPDX-License-Identifier: GPL-2.0
/* olia: OLIA, the opportunistic linked increases of MPTCP.
 *
 * Source: R. Khalili, N. Gast, M. Popovic, J.-Y. Le Boudec, "MPTCP Is Not Pareto-Optimal", IEEE/ACM ToN 21 (2013) 1651;
 * draft-khalili-mptcp-congestion-control-05. With x_r = w_r / rtt_r:
 *
 *     each packet acknowledged on subflow r   w_r <- w_r + x_r / rtt_r / (sum_k x_k)^2 + alpha_r / w_r
 *     each loss on subflow r                  w_r <- w_r / 2
 *
 * l_r is the larger of two counts of packets acknowledged: those between the last two losses, and those since. Best are the paths with the
 * largest l_r^2 / rtt_r. If some of them do not have the largest window, alpha_r is 1 / n / (how many these are) for these, and
 * -1 / n / (how many have it) for those with the largest window, n being the number of paths; else it is 0.
 *
 * Packets are counted, not bytes; RTTs are the kernel's smoothed ones. Slow start is standard TCP's. A subflow counts from its first
 * acknowledgement on and not from a retransmission time-out to the next acknowledgement (mptcp_paths.h). A connection with one subflow, and
 * plain TCP, is standard TCP.
 */
#include "mptcp_paths.h"
#include "olia_growth.h"

struct olia {
	struct subflow subflow; /* first: the frame knows it by its address */
	__u64 owed;	    /* of a packet that the window is to be smaller by */
	__u32 since_loss;   /* packets acknowledged */
	__u32 before_loss;  /* between the last two */
};

CALLBACK(void, olia, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct olia *state = STATE_OF(SOCK_OF(ctx), olia);
	struct mptcp_paths *entry = update_paths(SOCK_OF(ctx), &state->subflow);
	__u32 place = state->subflow.place & (PATHS_MAX - 1), between, acked;
	__s64 growth;

	state->since_loss += ACKED_OF(ctx);
	between = state->since_loss > state->before_loss ? state->since_loss : state->before_loss;
	if (entry)
		entry->between[place] = between;
	acked = after_slow_start(tp, ACKED_OF(ctx));
	if (acked == 0)
		return;
	growth = entry ? olia_growth(entry->paths, entry->between, path_of(tp), between) : (__s64)ONE_PACKET;
	if (growth >= 0) {
		grow(tp, &state->subflow.credit, growth, acked);
	} else {
		set_window(tp, tp->snd_cwnd - growth_packets(&state->owed, -growth, tp->snd_cwnd, acked));
		keep_out_of_slow_start(tp);
	}
}

CALLBACK(__u32, olia, ssthresh)
{
	struct olia *state = STATE_OF(SOCK_OF(ctx), olia);

	state->before_loss = state->since_loss;
	state->since_loss = 0;
	return half_window(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

UNDOES_LIKE_STANDARD_TCP(olia)
SHARES_PATHS(olia)

REGISTER(olia, HAS(olia, cong_avoid), HAS(olia, set_state), HAS(olia, release));
