// SPDX-License-Identifier: GPL-2.0
/* lia: LIA, the coupled congestion control of MPTCP (RFC 6356).
 *
 * Source: C. Raiciu, M. Handley, D. Wischik, "Coupled Congestion Control for Multipath Transport Protocols", RFC 6356, section 3. For each
 * packet acknowledged on subflow i, in congestion avoidance:
 *
 *     w_i <- w_i + min(alpha / w_total, 1 / w_i)
 *     alpha = w_total max_k(w_k / rtt_k^2) / (sum_k w_k / rtt_k)^2
 *
 * Slow start and the loss response (half the subflow's window) are those of standard TCP. RTTs are the kernel's smoothed ones; packets are
 * counted, not bytes. alpha is calculated anew with each acknowledgement. A connection with one subflow, and plain TCP, is standard TCP.
 */
#include "mptcp_paths.h"

char _license[] SEC("license") = "GPL";

SEC("struct_ops/lia_cong_avoid")
void lia_cong_avoid(__u64 *ctx)
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
	grow(tp, &state->credit, entry ? lia_growth(entry->paths, path_of(tp)) : ONE_PACKET, acked);
}

SEC("struct_ops/lia_ssthresh")
__u32 lia_ssthresh(__u64 *ctx)
{
	return half_window(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

SEC("struct_ops/lia_undo_cwnd")
__u32 lia_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC("struct_ops/lia_release")
void lia_release(__u64 *ctx)
{
	leave_paths(SOCK_OF(ctx), STATE_OF(SOCK_OF(ctx), subflow));
}

SEC(".struct_ops")
struct tcp_congestion_ops lia = {
	.cong_avoid = (void *)lia_cong_avoid,
	.ssthresh = (void *)lia_ssthresh,
	.undo_cwnd = (void *)lia_undo_cwnd,
	.release = (void *)lia_release,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "lia",
};
