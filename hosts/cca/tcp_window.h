/* SPDX-License-Identifier: GPL-2.0 */
/* The parts that window-based schemes share in the kernel: slow start, growth, rounds, halving. */
#ifndef TCP_WINDOW_H
#define TCP_WINDOW_H

#include "frame.h"
#include "growth.h"

extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;
extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;

/* rtt_min before the first measurement */
#define RTT_UNKNOWN (~0U)

/* sk_max_pacing_rate before SO_MAX_PACING_RATE is set */
#define PACING_RATE_UNSET (~0UL)

/* The scheme's own 104 bytes of the socket, zero at the start of a connection. */
#define STATE_BYTES sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv)
#define STATE_OF(sk, type)                                                                                   \
	({                                                                                                   \
		_Static_assert(sizeof(struct type) <= STATE_BYTES, "a scheme's state has 104 bytes at most"); \
		(struct type *)((struct inet_connection_sock *)(sk))->icsk_ca_priv;                          \
	})

#define SOCK_OF(ctx) ((struct sock *)((ctx)[0]))	       /* first argument of every callback */
#define SAMPLE_OF(ctx) ((const struct ack_sample *)((ctx)[1])) /* second argument of pkts_acked */
#define ACKED_OF(ctx) ((__u32)((ctx)[2]))		       /* third argument of cong_avoid: packets newly acknowledged */

static __always_inline __u32 packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

/* The kernel's smoothed RTT in us; 0: none yet. */
static __always_inline __u32 smoothed_rtt_us(const struct tcp_sock *tp)
{
	return tp->srtt_us >> 3;
}

static __always_inline _Bool in_slow_start(const struct tcp_sock *tp)
{
	return tp->snd_cwnd < tp->snd_ssthresh;
}

/* Whether the window, and not the application, limits the sender: only then may it grow (RFC 7661). */
static __always_inline _Bool is_window_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	return in_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out;
}

static __always_inline void set_window(struct tcp_sock *tp, __u32 window)
{
	if (window < WINDOW_MIN)
		window = WINDOW_MIN;
	tp->snd_cwnd = window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
}

/* After a window that a scheme has made smaller: it is not to mean slow start again. */
static __always_inline void keep_out_of_slow_start(struct tcp_sock *tp)
{
	if (tp->snd_ssthresh > tp->snd_cwnd)
		tp->snd_ssthresh = tp->snd_cwnd;
}

/* Bytes a second, as far as SO_MAX_PACING_RATE allows. */
static __always_inline void set_pacing_rate(struct sock *sk, __u64 rate)
{
	sk->sk_pacing_rate = rate < sk->sk_max_pacing_rate ? rate : sk->sk_max_pacing_rate;
}

/* The time of the last acknowledgement, in us; differences wrap as they should. */
static __always_inline __u32 now_us(const struct tcp_sock *tp)
{
	return (__u32)tp->tcp_mstamp;
}

/* Lets the window grow by `per_window` (65536ths of a packet) for every window of packets acknowledged. */
static __always_inline void grow(struct tcp_sock *tp, __u64 *credit, __u64 per_window, __u32 acked)
{
	set_window(tp, tp->snd_cwnd + growth_packets(credit, per_window, tp->snd_cwnd, acked));
}

/* A round: from a packet's sending to its acknowledgement. True once a round; the next one begins then.
 * `end` is a sequence number; a scheme's init sets it with begin_round().
 */
static __always_inline void begin_round(const struct tcp_sock *tp, __u32 *end)
{
	*end = tp->snd_nxt;
}

static __always_inline _Bool round_is_over(const struct tcp_sock *tp, __u32 *end)
{
	if ((__s32)(tp->snd_una - *end) < 0)
		return 0;
	begin_round(tp, end);
	return 1;
}

#endif
