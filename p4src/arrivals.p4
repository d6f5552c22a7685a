// How many new transmissions to expect at a port within a round-trip time: Q_T of Algorithm 1.
//
// A sliding window counter: arrivals in the present window of 2^20 µs (1.05 s) and in the one before, of which the part counts
// that is less than one window ago. Fixed point with 8 fraction bits.
#ifndef NODECTL_ARRIVALS_P4
#define NODECTL_ARRIVALS_P4

#include "headers.p4"

const bit<32> MAX_ARRIVALS = 0xFFFFFF;
const bit<32> ONE_ARRIVAL_Q8 = 256;
const bit<32> MAX_EXPECTED_Q8 = 0x7FFFFFFF;

register<bit<32>>(PORTS) arrivals_window;       // number of the present window
register<bit<32>>(PORTS) arrivals_current;      // arrivals in it
register<bit<32>>(PORTS) arrivals_previous;     // arrivals in the one before

control ExpectedArrivals(in bit<32> port, in bit<48> now_us, in bit<32> rtt_us, in bit<1> is_new, out bit<32> expected_q8) {
    bit<32> window;
    bit<32> known_window;
    bit<32> current;
    bit<32> previous;
    bit<64> rate_q8;                            // V_Q, arrivals a window
    bit<64> expected;
    bit<32> least_q8;

    apply {
        window = (bit<32>) (now_us >> 20);
        arrivals_window.read(known_window, port);
        arrivals_current.read(current, port);
        arrivals_previous.read(previous, port);

        if (window != known_window) {
            if (window == known_window + 1) {
                previous = current;
            } else {
                previous = 0;
            }
            current = 0;
        }
        if (is_new == 1 && current < MAX_ARRIVALS) {
            current = current + 1;
        }
        arrivals_window.write(port, window);
        arrivals_current.write(port, current);
        arrivals_previous.write(port, previous);

        // V_Q = current + previous · (2^20 − elapsed) / 2^20
        rate_q8 = ((bit<64>) previous * (0x100000 - (bit<64>) now_us[19:0])) >> 12;
        rate_q8 = rate_q8 + ((bit<64>) current << 8);
        // Q_T = V_Q · rtt / 2^20, at least one: the transmission that asks
        expected = (rate_q8 * (bit<64>) rtt_us) >> 20;
        least_q8 = ONE_ARRIVAL_Q8;
#ifdef NODECTL_WITHOUT_Q_T
        least_q8 = 1;                               // B_v is divided by it
#endif
#ifdef NODECTL_WITHOUT_V_Q
        expected = (bit<64>) ONE_ARRIVAL_Q8;        // nobody is expected but the transmission that asks
#endif
        if (expected < (bit<64>) least_q8) {
            expected_q8 = least_q8;
        } else if (expected > (bit<64>) MAX_EXPECTED_Q8) {
            expected_q8 = MAX_EXPECTED_Q8;
        } else {
            expected_q8 = (bit<32>) expected;
        }
    }
}

#endif
