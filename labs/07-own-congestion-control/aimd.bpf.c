// SPDX-License-Identifier: GPL-2.0
/* aimd: additive increase, multiplicative decrease; to be written.
 *
 * Source: D.-M. Chiu, R. Jain, Computer Networks and ISDN Systems 17 (1989) 1; RFC 5681, section 3.1.
 *
 * `tp->snd_cwnd` is the window in packets, `tp->snd_ssthresh` the threshold below which slow start goes on. Use set_window(tp, packets) to
 * change the window. Not allowed here, since they are the answer: grow(), after_slow_start(), tcp_slow_start(), half_window().
 */
#include "scheme.h"

/* Part 1: the values to remember from one acknowledgement to the next; for each connection by itself, 0 at its start. */
struct aimd {
	__u32 unused;
};

/* Called for every acknowledgement of new data, unless losses are being repaired. */
CALLBACK(void, aimd, cong_avoid)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct aimd *state = STATE_OF(SOCK_OF(ctx), aimd);
	__u32 acked = ACKED_OF(ctx); /* packets that it acknowledges: not always one */

	(void)tp, (void)state, (void)acked;
	/* Part 2: nothing grows while the application has nothing more to send: is_window_limited(tp). */
	/* Part 3: slow start, in_slow_start(tp): a packet for each packet acknowledged, up to the threshold and not beyond it. */
	/* Part 4: additive increase: one packet for each whole window of packets acknowledged. */
}

/* Part 5: multiplicative decrease. A packet was lost: returns the window to go on with, half of the present one, 2 at least. */
CALLBACK(__u32, aimd, ssthresh)
{
	return tcp_sk(SOCK_OF(ctx))->snd_cwnd;
}

/* The loss was none after all. */
CALLBACK(__u32, aimd, undo_cwnd)
{
	/* Part 6: the window to go back to: prior_cwnd of the tcp_sock is the one before the loss, unless it is larger by now. */
	return tcp_sk(SOCK_OF(ctx))->snd_cwnd;
}

REGISTER(aimd, HAS(aimd, cong_avoid));
