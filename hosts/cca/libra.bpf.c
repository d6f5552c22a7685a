// SPDX-License-Identifier: GPL-2.0
/* libra: TCP Libra, equal rates whatever the RTT.
 *
 * Source: G. Marfia, C. Palazzi, G. Pau, M. Gerla, M. Sanadidi, M. Roccetti, "TCP Libra: Exploring RTT-Fairness for TCP", UCLA Computer
 * Science Department TR 050037, section III.J. W window in packets, T the RTT in seconds:
 *
 *     each packet acknowledged   W <- W + (1 / W) alpha T^2 / (T + T0)
 *     loss                       W <- W - T1 W / (2 (T + T0))
 *     alpha = S P,   S = k1 C    C capacity of the narrowest link, by packet pair (packet_pair.h)
 *     P = one of table II, by `penalty`, with q = (T - T_min) / (T_max - T_min):
 *         1: k2 (1 - q)     2: k2 (1 - q) (2 - q)     3: e^(-k2 q)
 *
 * T0 = T1 = 1 s, k1 = k2 = 2 and the third penalty are those of the paper's simulations; all can be set. The unit of C, which it
 * leaves open, is Mbit/s. With it the paper's 622 Mbit/s lies "on the border of stability" by its equation (59), as it says (in packets/s it
 * would be far outside). C counts payload. T is the last RTT. Until there is a packet pair the window grows by 1 a round trip. Slow
 * start is the standard one. A packet pair does not see the capacity where others' packets always come between its own, as those of
 * connections that begin at the same moment do. `capacity` gives it ("requires awareness of the bottleneck capacity", section V).
 */
#include "scheme.h"
#include "libra_window.h"
#include "packet_pair.h"
#include "settable.h"

SETTABLE(t0, 1000000, 1000000, 1000, 100000000); /* T0 in s */
SETTABLE(t1, 1000000, 1000000, 1000, 100000000); /* T1 in s */
SETTABLE(k1, 1000, 2000, 1, 1000000);		 /* k1, packets a second for each Mbit/s */
SETTABLE(k2, 1000, 2000, 1, 100000);		 /* k2 of the penalty */
SETTABLE(penalty, 1, 3, 1, 3);			 /* row of table II */
SETTABLE(capacity, 1000, 0, 0, 100000000);	 /* C in Mbit/s; 0: by packet pair */

struct libra {
	__u64 credit;
	struct packet_pairs pairs;
	__u32 acked_at_us; /* time of the last acknowledgement with an RTT; wraps */
	struct rtts rtts;
};

CALLBACK(void, libra, pkts_acked)
{
	struct libra *state = STATE_OF(SOCK_OF(ctx), libra);
	__u32 now_us = (__u32)tcp_sk(SOCK_OF(ctx))->tcp_mstamp;
	__u32 former_us = state->rtts.last_us;

	if (!note_rtt(&state->rtts, SAMPLE_OF(ctx)))
		return;
	packet_pair_add(&state->pairs, now_us - state->acked_at_us, SAMPLE_OF(ctx)->pkts_acked, former_us, state->rtts.last_us);
	state->acked_at_us = now_us;
}

static __always_inline __u64 growth_of(const struct tcp_sock *tp, const struct libra *state)
{
	__u32 capacity_kbps = capacity ? capacity : packet_pair_capacity_kbps(&state->pairs, tp->mss_cache);
	const struct rtts *rtts = &state->rtts;

	if (capacity_kbps == 0)
		return ONE_PACKET;
	return libra_growth(libra_alpha(k1, capacity_kbps, libra_penalty(penalty, k2, rtts->last_us, rtts->least_us, rtts->most_us)),
			    rtts->last_us, t0);
}

CALLBACK(void, libra, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct libra *state = STATE_OF(SOCK_OF(ctx), libra);
	__u32 acked = after_slow_start(tp, ACKED_OF(ctx));

	if (acked)
		grow(tp, &state->credit, growth_of(tp, state), acked);
}

CALLBACK(__u32, libra, ssthresh)
{
	return libra_after_loss(tcp_sk(SOCK_OF(ctx))->snd_cwnd, STATE_OF(SOCK_OF(ctx), libra)->rtts.last_us, t0, t1);
}

UNDOES_LIKE_STANDARD_TCP(libra)

REGISTER(libra, HAS(libra, cong_avoid), HAS(libra, pkts_acked));
