// SPDX-License-Identifier: GPL-2.0
/* hybla: TCP Hybla, grows as a connection of 25 ms RTT would, whatever its own RTT.
 *
 * Source: C. Caini, R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", Int. J. Satellite Communications and
 * Networking 22 (2004) 547. With rho = max(RTT / RTT_0, 1), RTT_0 = 25 ms, for each packet acknowledged:
 *
 *     slow start             w <- w + 2^rho - 1
 *     congestion avoidance   w <- w + rho^2 / w
 *
 * A loss halves the window. RTT is the smallest smoothed one so far, as in Linux's own hybla, so that a queue does not count as distance.
 * With `rtt` it is the present smoothed one, as the paper's text could be read too (40 ms with 160 ms of queue: rho^2 is 2.56 or 64).
 * Unlike Linux's, rho is a fraction of 1/65536 and not of 1/8, and is 16 at most. The paper also multiplies the initial window and
 * threshold by rho. Here the kernel's initial window stays, and the threshold is unknown at first (Linux's begins with a window of rho).
 * The paper recommends pacing, which is left to the user (SO_MAX_PACING_RATE).
 */
#include "scheme.h"
#include "hybla_growth.h"
#include "settable.h"

CHOICE(rtt, smallest, present); /* smoothed RTT that rho is taken from: the smallest so far (as Linux does), or the present one */

struct hybla {
	__u64 credit;
	struct rtts smoothed;
};

/* The handshake has given an RTT. */
CALLBACK(void, hybla, init)
{
	note_rtt_us(&STATE_OF(SOCK_OF(ctx), hybla)->smoothed, smoothed_rtt_us(tcp_sk(SOCK_OF(ctx))));
}

CALLBACK(void, hybla, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct hybla *state = STATE_OF(SOCK_OF(ctx), hybla);
	__u64 ratio;
	__u32 packets;

	note_rtt_us(&state->smoothed, smoothed_rtt_us(tp));
	ratio = hybla_ratio(rtt == rtt_smallest ? state->smoothed.least_us : state->smoothed.last_us);
	if (!is_window_limited(tp))
		return;
	if (!in_slow_start(tp)) {
		grow(tp, &state->credit, hybla_avoidance_growth(ratio), ACKED_OF(ctx));
		return;
	}
	packets = growth_packets(&state->credit, hybla_slow_start_growth(ratio), 1, ACKED_OF(ctx));
	if (packets > tp->snd_ssthresh - tp->snd_cwnd)
		packets = tp->snd_ssthresh - tp->snd_cwnd;
	set_window(tp, tp->snd_cwnd + packets);
}

HALVES_AFTER_LOSS(hybla)
UNDOES_LIKE_STANDARD_TCP(hybla)

REGISTER(hybla, HAS(hybla, init), HAS(hybla, cong_avoid));
