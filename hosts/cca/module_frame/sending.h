/* SPDX-License-Identifier: GPL-2.0 */
/* Ways of sending that the kernel leaves to nobody: as ECT(1), and in short bursts.
 *
 * Linux gives a connection's packets ECT(0), and asks nobody. So the connection's way to the IP layer leads
 * through here, where ECT(0) becomes ECT(1). IPv6 and subflows of MPTCP keep their own ways, and ECT(0).
 */
#ifndef SENDING_H
#define SENDING_H

#include <net/inet_connection_sock.h>
#include <net/inet_ecn.h>

static struct inet_connection_sock_af_ops ect1_operations;
static const struct inet_connection_sock_af_ops *usual_operations;

static int ect1_queue_xmit(struct sock *sk, struct sk_buff *skb, struct flowi *flow)
{
	struct inet_sock *inet = inet_sk(sk);
	__u8 tos = inet->tos;
	int error;

	if ((tos & INET_ECN_MASK) == INET_ECN_ECT_0)
		inet->tos = (tos & ~INET_ECN_MASK) | INET_ECN_ECT_1;
	error = usual_operations->queue_xmit(sk, skb, flow);
	inet->tos = tos;
	return error;
}

static __maybe_unused void send_as_ect1(struct sock *sk)
{
	struct inet_connection_sock *connection = inet_csk(sk);

	if (sk->sk_family != AF_INET || sk_is_mptcp(sk))
		return;
	if (usual_operations == NULL) {
		usual_operations = connection->icsk_af_ops;
		ect1_operations = *usual_operations;
		ect1_operations.queue_xmit = ect1_queue_xmit;
	}
	if (connection->icsk_af_ops == usual_operations)
		connection->icsk_af_ops = &ect1_operations;
}

static __maybe_unused void send_as_usual(struct sock *sk)
{
	struct inet_connection_sock *connection = inet_csk(sk);

	if (connection->icsk_af_ops == &ect1_operations)
		connection->icsk_af_ops = usual_operations;
}

/* The connection is paced, in the kernel's bursts of a millisecond. */
static __maybe_unused void pace_in_usual_bursts(struct sock *sk)
{
	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
}

/* The connection is paced, and sends at most a quarter of a millisecond of its rate at once; the kernel's usual is a whole one. */
static __maybe_unused void pace_in_short_bursts(struct sock *sk)
{
	pace_in_usual_bursts(sk);
	sk->sk_pacing_shift = 12; /* 2^-12 s */
}

#endif
