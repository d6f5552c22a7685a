// Lab 4: Algorithm 1 of the paper, the rate B_c that a port offers to one transmission. The missing parts are marked "Your part".
//
// The paper divides real numbers. Here B_s and B_a are compared exactly by cross-multiplication, and only B_c is divided.
// Every count has 8 fraction bits ("q8"), because Q_T has; a rate divided by one is therefore shifted left by 8 first.
#ifndef NODECTL_ALLOCATION_P4
#define NODECTL_ALLOCATION_P4

#include "division.p4"
#include "subflows.p4"
#include "decisions.p4"

// In meta: capacity B_z, tolerance β, Q_T, and the port's sums without the transmission's own group. Sets share_kbps (B_c),
// transmission_share_kbps and verdict. max_kbps is the most the transmission can use.
control Allocation(inout metadata_t meta, in bit<32> max_kbps) {
    Division() divide;
    SubflowShare() subflow_share;   // Algorithm 2
    WantsLess() wants_less;         // no more than is asked for

    bit<32> free_kbps;              // B_v
    bit<64> quotient;
    bit<32> remainder;

    apply {
        // Your part 1: B_v, the rate that is not given out yet. It is never below 0, also if more is given out than there is.
        free_kbps = meta.capacity_kbps;

        // Your part 2: B_s = B_v / Q_T against B_a = B_z / (Q_T + Q_z), without dividing. How large can a product become?
        // Your part 3: which of the three cases is it (meta.verdict), and what is divided by what?
        meta.verdict = VERDICT_SHARE;
        divide.apply((bit<64>) free_kbps << 8, 256, quotient, remainder);

        // Below here there is nothing to write: subflows (Algorithm 2), and transmissions that want less than their share (decision "no more than is asked for").
        meta.share_kbps = (bit<32>) quotient;
        meta.transmission_share_kbps = meta.share_kbps;
        if (meta.group_count != 0) {
            subflow_share.apply(meta, free_kbps);
        }
        wants_less.apply(meta, max_kbps, free_kbps);
    }
}

#endif
