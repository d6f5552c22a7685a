// The law by which an RCP router changes its rate, once a control interval:
//
//     R <- R (1 + (T / d) (alpha (C - y) - beta q / d) / C)
//
// with y the rate of the data that came in, and q the data that waits. alpha and beta are 0.4, as in the
// authors' own simulation. Here all rates are whole kbit/s, and
// q / d is w C / d with w, the time that a packet has waited: q = w C. Each division rounds down (division.p4). So near its rest R stands
// still once alpha (C - y) - beta q / d is below one kbit/s for each sender.
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
    Division() divide;

    bit<64> arrived_kbps;
    bit<64> waiting_kbps;
    bit<64> gain_q10;
    bit<64> loss_q10;
    bit<64> share_kbps;
    bit<64> change_kbps;
    bit<32> waited_us;
    bit<32> interval_us;
    bit<32> least_kbps;
    bit<32> remainder;
    bit<1> is_gain;

    apply {
        divide.apply(arrived_bytes * BIT_PER_MS, elapsed_us, arrived_kbps, remainder);
        if (arrived_kbps > MAX_RATE_KBPS) {
            arrived_kbps = MAX_RATE_KBPS;
        }
        waited_us = wait_us;
        if (waited_us > MAX_WAIT_US) {
            waited_us = MAX_WAIT_US;
        }
        divide.apply((bit<64>) waited_us * (bit<64>) capacity_kbps, rtt_us, waiting_kbps, remainder);
        if (waiting_kbps > MAX_RATE_KBPS) {
            waiting_kbps = MAX_RATE_KBPS;
        }

        // alpha (C - y) - beta q / d, as a number and its sign
        gain_q10 = ALPHA_Q10 * (bit<64>) capacity_kbps;
        loss_q10 = ALPHA_Q10 * arrived_kbps + BETA_Q10 * waiting_kbps;
        is_gain = 0;
        if (gain_q10 > loss_q10) {
            is_gain = 1;
            share_kbps = (gain_q10 - loss_q10) >> 10;
        } else {
            share_kbps = (loss_q10 - gain_q10) >> 10;
        }

        // times T / d, at most C, then times R / C
        interval_us = elapsed_us;
        if (interval_us > rtt_us) {
            interval_us = rtt_us;
        }
        divide.apply(share_kbps * (bit<64>) interval_us, rtt_us, change_kbps, remainder);
        if (change_kbps > (bit<64>) capacity_kbps) {
            change_kbps = (bit<64>) capacity_kbps;
        }
        divide.apply(change_kbps * (bit<64>) rate_kbps, capacity_kbps, share_kbps, remainder);

        least_kbps = (capacity_kbps >> LEAST_PART) + 1;
        change_kbps = (bit<64>) rate_kbps;
        if (is_gain == 1) {
            change_kbps = change_kbps + share_kbps;
        } else {
            change_kbps = change_kbps - share_kbps;
        }
        if (change_kbps > (bit<64>) capacity_kbps) {
            change_kbps = (bit<64>) capacity_kbps;
        }
        rate_kbps = change_kbps[31:0];
        if (rate_kbps < least_kbps) {
            rate_kbps = least_kbps;
        }
    }
}

#endif
