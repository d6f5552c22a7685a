// SPDX-License-Identifier: GPL-2.0
/* coupled: fully coupled congestion control of MPTCP.
 *
 * Source: D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley, "Design, Implementation and Evaluation of Congestion Control for Multipath TCP",
 * NSDI 2011, algorithm COUPLED; the MPTCP-Coupled that H. Liu, H. Ni, R. Han, Future Internet 15 (2023) 385 compare with in table 8:
 *
 *     each packet acknowledged on subflow r   w_r <- w_r + 1 / w_total
 *     each loss on subflow r                  w_r <- max(w_r - w_total / 2, 2)
 *
 * The paper's smallest window is 1; here it is 2, as for every scheme of this folder. Slow start is standard TCP's, which RFC 6356 keeps
 * too. A connection with one subflow, and plain TCP, is standard TCP.
 */
#include "mptcp_paths.h"

char _license[] SEC("license") = "GPL";

SEC("struct_ops/coupled_cong_avoid")
void coupled_cong_avoid(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct subflow *state = STATE_OF(sk, subflow);
	struct mptcp_paths *entry = update_paths(sk, state);
	__u32 acked = ACKED_OF(ctx);

	if (!is_window_limited(tp))
		return;
	if (in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	grow(tp, &state->credit, entry ? coupled_growth(entry->paths, path_of(tp)) : ONE_PACKET, acked);
}

SEC("struct_ops/coupled_ssthresh")
__u32 coupled_ssthresh(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	__u32 window = tcp_sk(sk)->snd_cwnd;
	struct mptcp_paths *entry = update_paths(sk, STATE_OF(sk, subflow));

	return entry ? coupled_after_loss(entry->paths, window) : half_window(window);
}

SEC("struct_ops/coupled_undo_cwnd")
__u32 coupled_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC("struct_ops/coupled_release")
void coupled_release(__u64 *ctx)
{
	leave_paths(SOCK_OF(ctx), STATE_OF(SOCK_OF(ctx), subflow));
}

SEC(".struct_ops")
struct tcp_congestion_ops coupled = {
	.cong_avoid = (void *)coupled_cong_avoid,
	.ssthresh = (void *)coupled_ssthresh,
	.undo_cwnd = (void *)coupled_undo_cwnd,
	.release = (void *)coupled_release,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "coupled",
};
