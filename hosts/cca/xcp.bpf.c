// SPDX-License-Identifier: GPL-2.0
/* xcp: paces at a rate that the routers on the way change, once a round trip (XCP).
 *
 * Source: D. Katabi, M. Handley, C. Rohrs, "Congestion Control for High Bandwidth-Delay Product Networks", ACM SIGCOMM 2002.
 *
 * As with `rcp` the rate comes from outside: the sending program tells the routers its present one, and sets SO_MAX_PACING_RATE to what
 * they have made of it (docs/xcp.md). The paper's sender has a window, and a header in every packet.
 */
#include "told_rate.h"

PACES_AT_MAX_PACING_RATE(xcp)

REGISTER(xcp, HAS(xcp, init), HAS(xcp, cong_control), HAS_EVENTS(xcp));
