// SPDX-License-Identifier: GPL-2.0
/* lia: LIA, the coupled congestion control of MPTCP (RFC 6356).
 *
 * Source: C. Raiciu, M. Handley, D. Wischik, "Coupled Congestion Control for Multipath Transport Protocols", RFC 6356, section 3. For each
 * packet acknowledged on subflow i, in congestion avoidance:
 *
 *     w_i <- w_i + min(alpha / w_total, 1 / w_i)
 *     alpha = w_total max_k(w_k / rtt_k^2) / (sum_k w_k / rtt_k)^2
 *
 * Slow start and the loss response (half the subflow's window) are those of standard TCP. RTTs are the kernel's smoothed ones; packets are
 * counted, not bytes. alpha is calculated anew with each acknowledgement. A subflow counts from its first acknowledgement on and not from a
 * retransmission time-out to the next acknowledgement (mptcp_paths.h). A connection with one subflow, and plain TCP, is standard TCP.
 */
#include "mptcp_paths.h"

GROWS_TOGETHER(lia, lia_growth)
HALVES_AFTER_LOSS(lia)
UNDOES_LIKE_STANDARD_TCP(lia)
SHARES_PATHS(lia)

REGISTER(lia, HAS(lia, cong_avoid), HAS(lia, set_state), HAS(lia, release));
