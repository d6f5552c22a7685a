// SPDX-License-Identifier: GPL-2.0
/* hybla: TCP Hybla, grows as a connection of 25 ms RTT would, whatever its own RTT.
 *
 * Source: C. Caini, R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", Int. J. Satellite Communications and
 * Networking 22 (2004) 547. With rho = max(RTT / RTT_0, 1), RTT_0 = 25 ms, for each packet acknowledged:
 *
 *     slow start             w <- w + 2^rho - 1
 *     congestion avoidance   w <- w + rho^2 / w
 *
 * A loss halves the window. RTT is the kernel's smoothed one. The paper also multiplies the initial window and threshold by rho; here
 * the kernel's initial window stays, and the threshold is unknown at first. It recommends pacing, which is left to the user
 * (SO_MAX_PACING_RATE).
 */
#include "scheme.h"
#include "hybla_growth.h"

struct hybla {
	__u64 credit;
};

CALLBACK(void, hybla, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct hybla *state = STATE_OF(SOCK_OF(ctx), hybla);
	__u64 ratio = hybla_ratio(tp->srtt_us >> 3);
	__u32 packets;

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

REGISTER_TWICE(hybla, HAS(hybla, cong_avoid));
