// SPDX-License-Identifier: GPL-2.0
/* coupled: fully coupled congestion control of MPTCP.
 *
 * Source: D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley, "Design, Implementation and Evaluation of Congestion Control for Multipath TCP",
 * NSDI 2011, algorithm COUPLED:
 *
 *     each packet acknowledged on subflow r   w_r <- w_r + 1 / w_total
 *     each loss on subflow r                  w_r <- max(w_r - w_total / 2, 2)
 *
 * The paper's smallest window is 1; here it is 2, as for every scheme of this folder. Slow start is standard TCP's, which RFC 6356 keeps
 * too. A subflow counts from its first acknowledgement on and not from a retransmission time-out to the next acknowledgement (mptcp_paths.h).
 * A connection with one subflow, and plain TCP, is standard TCP. H. Liu, H. Ni, R. Han, Future Internet 15 (2023) 385 compare with an
 * "MPTCP-Coupled" in table 8 without saying what it is; the split they print is that of subflows that are not coupled.
 */
#include "mptcp_paths.h"

GROWS_TOGETHER(coupled, coupled_growth)

CALLBACK(__u32, coupled, ssthresh)
{
	__u32 window = tcp_sk(SOCK_OF(ctx))->snd_cwnd;
	struct mptcp_paths *entry = update_paths(SOCK_OF(ctx), STATE_OF(SOCK_OF(ctx), subflow));

	return entry ? coupled_after_loss(entry->paths, window) : half_window(window);
}

UNDOES_LIKE_STANDARD_TCP(coupled)
SHARES_PATHS(coupled)

REGISTER(coupled, HAS(coupled, cong_avoid), HAS(coupled, set_state), HAS(coupled, release));
