// SPDX-License-Identifier: GPL-2.0
/* rcp: paces at the rate that the routers on the way have last stamped (RCP).
 *
 * Source: N. Dukkipati, "Rate Control Protocol (RCP): Congestion control to make flows complete quickly", PhD thesis, Stanford (2007).
 *
 * The rate comes from outside: the sending program asks the routers for it every round trip (docs/rcp.md) and sets SO_MAX_PACING_RATE, and
 * told_rate.h keeps to it. Until the first answer, the connection keeps its initial window and is not paced. One path alone: the subflows of
 * an MPTCP connection take no SO_MAX_PACING_RATE.
 */
#include "told_rate.h"

PACES_AT_MAX_PACING_RATE(rcp)

REGISTER(rcp, HAS(rcp, init), HAS(rcp, cong_control), HAS_EVENTS(rcp));
