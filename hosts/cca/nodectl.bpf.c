// SPDX-License-Identifier: GPL-2.0
/* nodectl: paces at the rate that the sender has negotiated with the network (Nodectl).
 *
 * Source: H. Liu, H. Ni, R. Han, "A Transmission Rate
 * Control Method for Active Congestion Reduction Based on Network Node Bandwidth Allocation", Future Internet 15 (2023) 385.
 *
 * The rate comes from outside: the sending program negotiates it and sets SO_MAX_PACING_RATE. So there is nothing to find out
 * here, and a lost packet says nothing about the rate:
 *
 *     pacing rate = sk_max_pacing_rate
 *     cwnd        = rate x min RTT, and a margin (nodectl_window.h)
 *
 * The window only keeps what is under way bounded should the path turn out narrower than agreed; it does not set the pace.
 * Until a rate is set, the connection keeps its initial window and is not paced.
 */
#include "tcp_bpf.h"
#include "nodectl_window.h"

char _license[] SEC("license") = "GPL";

/* Paces at the rate that is set now, and returns the window for it; 0: no rate is set, or no RTT is known yet. */
static __always_inline __u32 follow_rate(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	unsigned long rate = sk->sk_max_pacing_rate;
	__u32 rtt_us = tp->rtt_min.s[0].v;
	__u32 window;

	if (rate == PACING_RATE_UNSET)
		return 0;
	sk->sk_pacing_rate = rate;
	if (rtt_us == RTT_UNKNOWN)
		return 0;
	window = nodectl_window(rate, rtt_us, tp->mss_cache);
	return window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
}

/* After every acknowledgement, in every state of loss recovery. Its other arguments differ between kernels and are not used.
 *
 * After the rate was lowered, more is under way for one RTT than the new window allows, and a window that shrank at once would
 * stop the sender altogether for a part of it. So it shrinks by one packet an acknowledgement: about as fast as, paced at the new
 * rate, what is under way does.
 */
SEC("struct_ops/nodectl_cong_control")
void nodectl_cong_control(__u64 *ctx)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	__u32 window = follow_rate(SOCK_OF(ctx));

	if (window == 0)
		return;
	tp->snd_cwnd = window >= tp->snd_cwnd ? window : tp->snd_cwnd - 1;
}

/* The first packet after silence: without this, the first RTT of a connection would be held to the initial window. */
SEC("struct_ops/nodectl_cwnd_event")
void nodectl_cwnd_event(__u64 *ctx)
{
	__u32 window;

	if ((__u32)ctx[1] != CA_EVENT_TX_START)
		return;
	window = follow_rate(SOCK_OF(ctx));
	if (window != 0)
		tcp_sk(SOCK_OF(ctx))->snd_cwnd = window;
}

/* Losses do not change the threshold; slow start has no part here. */
SEC("struct_ops/nodectl_ssthresh")
__u32 nodectl_ssthresh(__u64 *ctx)
{
	return TCP_INFINITE_SSTHRESH;
}

SEC("struct_ops/nodectl_undo_cwnd")
__u32 nodectl_undo_cwnd(__u64 *ctx)
{
	return tcp_sk(SOCK_OF(ctx))->snd_cwnd;
}

/* One packet at a time, so that the gaps between them are even. */
SEC("struct_ops/nodectl_min_tso_segs")
__u32 nodectl_min_tso_segs(__u64 *ctx)
{
	return 1;
}

/* Send buffer in windows. Three (the default is two): while a packet is retransmitted a second time, new data goes on. */
SEC("struct_ops/nodectl_sndbuf_expand")
__u32 nodectl_sndbuf_expand(__u64 *ctx)
{
	return 3;
}

SEC("struct_ops/nodectl_init")
void nodectl_init(__u64 *ctx)
{
	/* Chosen in the middle of a connection: no leftovers of the former one. Chosen at the start: nothing changes. */
	tcp_sk(SOCK_OF(ctx))->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	follow_rate(SOCK_OF(ctx));
}

SEC(".struct_ops")
struct tcp_congestion_ops nodectl = {
	.init = (void *)nodectl_init,
	.cong_control = (void *)nodectl_cong_control,
	.cwnd_event = (void *)nodectl_cwnd_event,
	.ssthresh = (void *)nodectl_ssthresh,
	.undo_cwnd = (void *)nodectl_undo_cwnd,
	.min_tso_segs = (void *)nodectl_min_tso_segs,
	.sndbuf_expand = (void *)nodectl_sndbuf_expand,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "nodectl",
};
