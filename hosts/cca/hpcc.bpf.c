// SPDX-License-Identifier: GPL-2.0
/* hpcc: paces at the rate that the links on the way have room for, by their own records (HPCC).
 *
 * Source: Y. Li et al., "HPCC: High Precision Congestion Control", ACM SIGCOMM 2019.
 *
 * The sending program asks the switches for their records every round trip, computes the window and from it the rate (hosts/hpcc_window.py),
 * and sets SO_MAX_PACING_RATE (docs/hpcc.md). The paper's records are in every packet, and its network card computes the window.
 */
#include "told_rate.h"

PACES_AT_MAX_PACING_RATE(hpcc)

REGISTER(hpcc, HAS(hpcc, init), HAS(hpcc, cong_control), HAS_EVENTS(hpcc));
