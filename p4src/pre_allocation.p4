// Algorithm 1 of the paper, lines 1 to 4: Q_T, how many transmissions to expect within a round-trip time, with 8 fraction bits.
#ifndef NODECTL_PRE_ALLOCATION_P4
#define NODECTL_PRE_ALLOCATION_P4

#include "decisions.p4"

// rate_q8: V_Q, arrivals in 2^20 µs.
control PreAllocation(in bit<64> rate_q8, in bit<32> rtt_us, out bit<32> expected_q8) {
    LeastExpected() least_expected;
    bit<64> expected;

    apply {
        expected = (rate_q8 * (bit<64>) rtt_us) >> 20;              // lines 2 to 4: T = α Rtt with α = 1, Q_T = V_Q T
        least_expected.apply(expected);
        if (expected > (bit<64>) MAX_EXPECTED_Q8) {
            expected = (bit<64>) MAX_EXPECTED_Q8;
        }
        expected_q8 = (bit<32>) expected;
    }
}

#endif
