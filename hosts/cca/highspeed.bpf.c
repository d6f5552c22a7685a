// SPDX-License-Identifier: GPL-2.0
/* highspeed: HighSpeed TCP, RFC 3649.
 *
 * Congestion avoidance:   w <- w + a(w) / w   for each packet acknowledged
 * Loss:                   w <- w (1 - b(w))
 *
 *     b(w) = (High_Decrease - 0.5) (log w - log Low_Window) / (log High_Window - log Low_Window) + 0.5
 *     a(w) = w^2 p(w) 2 b(w) / (2 - b(w)),    p(w) = 0.078 / w^1.2       taken from the table of appendix B
 *
 * for w > Low_Window = 38; below, a = 1 and b = 1/2 as in standard TCP. Slow start is the standard one (RFC 3649 leaves it).
 */
#include "scheme.h"
#include "highspeed_response.h"

struct highspeed {
	__u64 credit;
};

CALLBACK(void, highspeed, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	__u32 acked = after_slow_start(tp, ACKED_OF(ctx));

	if (acked)
		grow(tp, &STATE_OF(SOCK_OF(ctx), highspeed)->credit, highspeed_increase(tp->snd_cwnd) * ONE_PACKET, acked);
}

CALLBACK(__u32, highspeed, ssthresh)
{
	return highspeed_after_loss(tcp_sk(SOCK_OF(ctx))->snd_cwnd);
}

UNDOES_LIKE_STANDARD_TCP(highspeed)

REGISTER(highspeed, HAS(highspeed, cong_avoid));
