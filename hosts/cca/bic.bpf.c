// SPDX-License-Identifier: GPL-2.0
/* bic: Binary Increase Congestion control.
 *
 * Source: L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance Networks", INFOCOM 2004.
 *
 * After a loss at window w_max the window becomes w_max (1 - beta). Then, each RTT, it goes half of what is left to w_max, but by
 * S_min at least and by S_max at most: a binary search. Having come to w_max without a loss it goes on by 1, 2, 4, ... S_max packets
 * an RTT. If a loss comes before the former w_max was reached, the next search aims at the middle of the new one and the reduced
 * window (the paper's "fast convergence"). Below 14 packets: standard TCP.
 *
 * Constants and arithmetic are in bic_search.h. A retransmission time-out starts the search anew, which the paper leaves open.
 */
#include "tcp_window.h"
#include "bic_search.h"

char _license[] SEC("license") = "GPL";

struct bic {
	__u64 credit;
	struct bic_search search;
};

SEC("struct_ops/bic_cong_avoid")
void bic_cong_avoid(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct bic *state = STATE_OF(sk, bic);
	__u32 acked = ACKED_OF(ctx);

	if (!is_window_limited(tp))
		return;
	if (in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	grow(tp, &state->credit, bic_growth(&state->search, tp->snd_cwnd), acked);
}

SEC("struct_ops/bic_ssthresh")
__u32 bic_ssthresh(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);

	return bic_after_loss(&STATE_OF(sk, bic)->search, tcp_sk(sk)->snd_cwnd);
}

/* A retransmission time-out means that the path has changed: the search begins anew. */
SEC("struct_ops/bic_set_state")
void bic_set_state(__u64 *ctx)
{
	struct bic *state = STATE_OF(SOCK_OF(ctx), bic);

	if ((__u8)ctx[1] != TCP_CA_Loss)
		return;
	state->credit = 0;
	state->search.maximum = 0;
	state->search.probe_step = 0;
}

SEC("struct_ops/bic_undo_cwnd")
__u32 bic_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC(".struct_ops")
struct tcp_congestion_ops bic = {
	.cong_avoid = (void *)bic_cong_avoid,
	.ssthresh = (void *)bic_ssthresh,
	.set_state = (void *)bic_set_state,
	.undo_cwnd = (void *)bic_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "bic",
};

SEC(".struct_ops")
struct tcp_congestion_ops bpf_bic = {
	.cong_avoid = (void *)bic_cong_avoid,
	.ssthresh = (void *)bic_ssthresh,
	.set_state = (void *)bic_set_state,
	.undo_cwnd = (void *)bic_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "bpf_bic",
};
