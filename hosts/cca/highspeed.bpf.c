// SPDX-License-Identifier: GPL-2.0
/* highspeed: HighSpeed TCP, RFC 3649.
 *
 * Congestion avoidance:   w <- w + a(w) / w   for each packet acknowledged
 * Loss:                   w <- w (1 - b(w))
 *
 *     b(w) = (High_Decrease - 0.5) (log w - log Low_Window) / (log High_Window - log Low_Window) + 0.5
 *     a(w) = w^2 p(w) 2 b(w) / (2 - b(w)),    p(w) = 0.078 / w^1.2
 *
 * for w > Low_Window = 38; below, a = 1 and b = 1/2 as in standard TCP. Slow start is the standard one (RFC 3649 leaves it).
 */
#include "tcp_window.h"
#include "highspeed_response.h"

char _license[] SEC("license") = "GPL";

struct highspeed {
	__u64 credit;
};

SEC("struct_ops/highspeed_cong_avoid")
void highspeed_cong_avoid(__u64 *ctx)
{
	struct sock *sk = SOCK_OF(ctx);
	struct tcp_sock *tp = tcp_sk(sk);
	struct highspeed *state = STATE_OF(sk, highspeed);
	__u32 acked = ACKED_OF(ctx);

	if (!is_window_limited(tp))
		return;
	if (in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	grow(tp, &state->credit, highspeed_increase(tp->snd_cwnd) * ONE_PACKET, acked);
}

SEC("struct_ops/highspeed_ssthresh")
__u32 highspeed_ssthresh(__u64 *ctx)
{
	return highspeed_after_loss(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

SEC("struct_ops/highspeed_undo_cwnd")
__u32 highspeed_undo_cwnd(__u64 *ctx)
{
	return tcp_reno_undo_cwnd(SOCK_OF(ctx));
}

SEC(".struct_ops")
struct tcp_congestion_ops highspeed = {
	.cong_avoid = (void *)highspeed_cong_avoid,
	.ssthresh = (void *)highspeed_ssthresh,
	.undo_cwnd = (void *)highspeed_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "highspeed",
};

SEC(".struct_ops")
struct tcp_congestion_ops bpf_highspeed = {
	.cong_avoid = (void *)highspeed_cong_avoid,
	.ssthresh = (void *)highspeed_ssthresh,
	.undo_cwnd = (void *)highspeed_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "bpf_highspeed",
};
