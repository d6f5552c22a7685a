// SPDX-License-Identifier: GPL-2.0
/* qtcol: TCP QtCol, steers the RTT to alpha times the smallest RTT.
 *
 * Source: D. Ngwenya, M. Hlophe, B. Maharaj, "TCP Congestion Control Algorithm Using Queueing Theory-Based Optimality Equation",
 * Electronics 14 (2025) 263, Algorithm 1. Once a round trip:
 *
 *     L_pred = L + W - W R / (alpha R_min)        packets in flight that fit the target
 *     W_new  = W + (R_min / R) (L_pred - L)
 *
 * W window, L packets in flight, R last RTT, R_min smallest RTT of the connection. The points that the text leaves open are those of
 * the authors' ns-3 code. R is the smoothed RTT and R_min the smallest of these (`rtt` chooses the samples themselves). A step needs
 * more than two RTT samples since the last one. Slow start goes on only while the RTT is below the target, and each of its
 * acknowledgements puts the next step off by a round. When a step sees an RTT more than 1 % above the smallest, the threshold is
 * brought down to 9/10 of the window, which ends slow start. A loss halves the window (the authors' class is derived from NewReno).
 * A step up is left out while the application, and not the window, limits the sender (RFC 7661): in a simulation nothing does.
 */
#include "qtcol_rounds.h"

CALLBACK(void, qtcol, init)
{
	begin_round(tcp_sk(SOCK_OF(ctx)), &STATE_OF(SOCK_OF(ctx), qtcol_rounds)->round_end);
}

CALLBACK(void, qtcol, pkts_acked)
{
	qtcol_note(tcp_sk(SOCK_OF(ctx)), STATE_OF(SOCK_OF(ctx), qtcol_rounds), SAMPLE_OF(ctx));
}

CALLBACK(void, qtcol, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct qtcol_rounds *rounds = STATE_OF(SOCK_OF(ctx), qtcol_rounds);

	if (qtcol_step_is_due(tp, rounds, ACKED_OF(ctx)))
		qtcol_take_step(tp, rounds);
}

HALVES_AFTER_LOSS(qtcol)
UNDOES_LIKE_STANDARD_TCP(qtcol)

REGISTER(qtcol, HAS(qtcol, init), HAS(qtcol, cong_avoid), HAS(qtcol, pkts_acked));
