// SPDX-License-Identifier: GPL-2.0
/* semicoupled: congestion control of MPTCP that keeps some traffic on each path.
 *
 * Source: D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley, "Design, Implementation and Evaluation of Congestion Control for Multipath TCP",
 * NSDI 2011, algorithm SEMICOUPLED:
 *
 *     each packet acknowledged on subflow r   w_r <- w_r + a / w_total
 *     each loss on subflow r                  w_r <- w_r / 2
 *
 * The paper leaves the constant a to whoever wants a certain aggressiveness; it is 1 unless set. Slow start is standard TCP's. A subflow counts
 * from its first acknowledgement on and not from a retransmission time-out to the next acknowledgement (mptcp_paths.h). Plain TCP, and with
 * a = 1 a connection with one subflow, is standard TCP.
 */
#include "mptcp_paths.h"
#include "settable.h"

SETTABLE(a, 1024, 1024, 1, 102400);

static __always_inline __u64 semicoupled_growth(const struct coupled_path *paths, struct coupled_path own)
{
	return coupled_growth(paths, own) * a / 1024;
}

GROWS_TOGETHER(semicoupled, semicoupled_growth)
HALVES_AFTER_LOSS(semicoupled)
UNDOES_LIKE_STANDARD_TCP(semicoupled)
SHARES_PATHS(semicoupled)

REGISTER(semicoupled, HAS(semicoupled, cong_avoid), HAS(semicoupled, set_state), HAS(semicoupled, release));
