/* SPDX-License-Identifier: GPL-2.0 */
/* A receiver's part of DCTCP (RFC 8257, section 3.2): it echoes the mark of each packet and not, as RFC 3168 has it, one mark until the
 * sender has heard it. Where a packet differs from the one before, the acknowledgement that was put off is sent at once with the former
 * mark, and the next one is not put off. So the receiver's socket has the scheme too.
 *
 * Where both ends have Accurate ECN (RFC 9768), the kernel tells the sender each mark, and nothing is done here.
 */
#ifndef ECHO_OF_MARKS_H
#define ECHO_OF_MARKS_H

#include "scheme.h"

/* ecn_flags: both ends have Accurate ECN. Kernels without it leave this bit 0. */
#define ACCURATE_ECN 16

/* A part of the scheme's state. */
struct received {
	__u32 seq;     /* the end of the data before the last packet */
	__u8 is_marked; /* the last packet was */
};

static __always_inline void begin_receiving(const struct tcp_sock *tp, struct received *received)
{
	received->seq = tp->rcv_nxt;
}

static __always_inline void echo(struct tcp_sock *tp, _Bool is_marked)
{
	if (is_marked)
		tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
	else
		tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
}

/* To be called in `cwnd_event`: a packet has arrived, marked or not. */
static __always_inline void echo_mark(struct tcp_sock *tp, struct received *received, __u32 event)
{
	struct inet_connection_sock *connection = (struct inet_connection_sock *)tp;
	_Bool is_marked = event == CA_EVENT_ECN_IS_CE;

	if ((!is_marked && event != CA_EVENT_ECN_NO_CE) || tp->ecn_flags & ACCURATE_ECN)
		return;
	if (is_marked != received->is_marked) {
		if (connection->icsk_ack.pending & ICSK_ACK_TIMER) {
			echo(tp, received->is_marked);
			bpf_tcp_send_ack(tp, received->seq);
		}
		connection->icsk_ack.pending |= ICSK_ACK_NOW;
	}
	received->seq = tp->rcv_nxt;
	received->is_marked = is_marked;
	echo(tp, is_marked);
}

#endif
