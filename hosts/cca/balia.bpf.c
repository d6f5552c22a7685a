// SPDX-License-Identifier: GPL-2.0
/* balia: Balia, a congestion control of MPTCP between responsive and friendly.
 *
 * Source: Q. Peng, A. Walid, J. Hwang, S. Low, "Multipath TCP: Analysis, Design, and Implementation", IEEE/ACM ToN 24 (2016) 596;
 * draft-walid-mptcp-congestion-control-04. With x_r = w_r / rtt_r and alpha_r = max_k x_k / x_r:
 *
 *     each packet acknowledged on subflow r   w_r <- w_r + x_r / rtt_r / (sum_k x_k)^2 (1 + alpha_r) / 2 (4 + alpha_r) / 5
 *     each loss on subflow r                  w_r <- w_r - w_r / 2 min(alpha_r, 3/2)
 *
 * RTTs are the kernel's smoothed ones. Slow start is standard TCP's. A subflow counts from its first acknowledgement on and not from a
 * retransmission time-out to the next acknowledgement (mptcp_paths.h). A connection with one subflow, and plain TCP, is standard TCP.
 */
#include "mptcp_paths.h"
#include "balia_growth.h"

GROWS_TOGETHER(balia, balia_growth)

CALLBACK(__u32, balia, ssthresh)
{
	struct tcp_sock *tp = tcp_sk(SOCK_OF(ctx));
	struct mptcp_paths *entry = update_paths(SOCK_OF(ctx), STATE_OF(SOCK_OF(ctx), subflow));

	return entry ? balia_after_loss(entry->paths, path_of(tp)) : half_window(tp->snd_cwnd);
}

UNDOES_LIKE_STANDARD_TCP(balia)
SHARES_PATHS(balia)

REGISTER(balia, HAS(balia, cong_avoid), HAS(balia, set_state), HAS(balia, release));
