// Algorithm 1 of the paper, lines 5 to 28: the rate B_c that a port offers to one transmission.
//
// The paper divides real numbers. Here B_s and B_a are compared exactly by cross-multiplication, and only B_c is divided.
// Every count has 8 fraction bits ("q8"), because Q_T has; a rate divided by one is therefore shifted left by 8 first.
#ifndef NODECTL_ALLOCATION_P4
#define NODECTL_ALLOCATION_P4

#include "division.p4"
#include "subflows.p4"
#include "decisions.p4"

// In meta: capacity B_z, tolerance β, Q_T, and the port's sums without the transmission's own group. Sets share_kbps (B_c),
// transmission_share_kbps and verdict: the case, from which the controller makes the lists L_r and L_i. max_kbps is the most it can use.
control Allocation(inout metadata_t meta, in bit<32> max_kbps) {
    Division() divide;
    SubflowShare() subflow_share;   // Algorithm 2
    WithinRates() within_rates;
    WantsLess() wants_less;         // no more than is asked for

    bit<32> free_kbps;              // B_v
    bit<32> present_q8;             // Q_T + Q_z
    bit<64> free_scaled;            // B_s and B_a, both times (Q_T)(Q_T + Q_z)
    bit<64> average_scaled;
    bit<64> difference;
    bit<128> difference_q8;
    bit<128> tolerance_scaled;
    bit<64> dividend;
    bit<32> divisor_q8;
    bit<64> quotient;
    bit<32> remainder;

    apply {
        free_kbps = 0;
        if ((bit<64>) meta.capacity_kbps > meta.port_sum_kbps) {
            free_kbps = (bit<32>) ((bit<64>) meta.capacity_kbps - meta.port_sum_kbps);
        }
        present_q8 = meta.expected_arrivals_q8 + (meta.port_count << 8);
        // B_s = B_v / Q_T (line 5) against B_a = B_z / (Q_T + Q_z) (line 10)
        free_scaled = (bit<64>) free_kbps * (bit<64>) present_q8;
        average_scaled = (bit<64>) meta.capacity_kbps * (bit<64>) meta.expected_arrivals_q8;
        if (free_scaled >= average_scaled) {
            difference = free_scaled - average_scaled;
        } else {
            difference = average_scaled - free_scaled;
        }
        difference_q8 = (bit<128>) difference << 8;
        tolerance_scaled = (bit<128>) meta.tolerance_kbps * (bit<128>) meta.expected_arrivals_q8 * (bit<128>) present_q8;

        if (difference_q8 <= tolerance_scaled) {                    // lines 11 and 12
            meta.verdict = VERDICT_SHARE;
            dividend = (bit<64>) free_kbps;
            divisor_q8 = meta.expected_arrivals_q8;
        } else if (free_scaled < average_scaled) {                  // lines 13 to 19
            meta.verdict = VERDICT_REDUCE_OTHERS;
            dividend = (bit<64>) meta.capacity_kbps;
            divisor_q8 = present_q8;
        } else {                                                    // lines 20 to 27
            meta.verdict = VERDICT_INCREASE_OTHERS;
            dividend = (bit<64>) free_kbps + meta.bottleneck_sum_kbps;
            divisor_q8 = meta.expected_arrivals_q8 + (meta.bottleneck_count << 8);
        }
        divide.apply(dividend << 8, divisor_q8, quotient, remainder);
        within_rates.apply(quotient);
        meta.share_kbps = (bit<32>) quotient;
        meta.transmission_share_kbps = meta.share_kbps;
        if (meta.group_count != 0) {
            subflow_share.apply(meta, free_kbps);
        }
        wants_less.apply(meta, max_kbps, free_kbps);
    }
}

#endif
