// Lab 9: the law by which an RCP router changes its rate, once a control interval. The missing parts are marked "Your part".
//
//     R <- R (1 + (T / d) (alpha (C - y) - beta q / d) / C)
//
// y is the rate of the data that came in, q the data that waits. With w the time that a packet has waited, q / d is w C / d. All rates are whole kbit/s.
#ifndef RATE_LAW_P4
#define RATE_LAW_P4

#include "division.p4"
#include "rate_units.p4"

const bit<64> ALPHA_Q10 = 410;          // 0.4, in 1/1024
const bit<64> BETA_Q10 = 410;           // 0.4
const bit<32> INTERVAL_US = 10000;      // T is this, or d if that is shorter

// Changes rate_kbps after elapsed_us in which arrived_bytes came. The last packet waited for wait_us.
control RateLaw(inout bit<32> rate_kbps,
                in bit<32> capacity_kbps,
                in bit<32> rtt_us,
                in bit<32> elapsed_us,
                in bit<64> arrived_bytes,
                in bit<32> wait_us) {
    Division() divide;          // divide.apply(dividend, divisor, quotient, remainder): 64 by 32 bits, exact, rounded down

    bit<64> arrived_kbps;
    bit<64> waiting_kbps;
    bit<32> remainder;

    apply {
        // Your part 1: y, from arrived_bytes and elapsed_us.
        arrived_kbps = 0;

        // Your part 2: q / d, from wait_us, capacity_kbps and rtt_us.
        waiting_kbps = 0;

        // Your part 3: alpha (C - y) - beta q / d. It may be below 0, and bit<64> may not: keep its sign apart.

        // Your part 4: times T / d, where T is elapsed_us but no more than d; then no more than C; then times R / C.

        // Your part 5: the new rate_kbps: at most C, at least C / 2^LEAST_PART, rounded down, plus 1.
    }
}

#endif
