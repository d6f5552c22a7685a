// The rate at which new transmissions arrive at a port: V_Q of Algorithm 1, from the switch's own counts.
//
// A sliding window counter: the arrivals in the present window of 2^20 µs (1.05 s), and a part of those in the window before.
// The part is the share of that window which is less than one window ago. Fixed point with 8 fraction bits.
#ifndef NODECTL_ARRIVALS_P4
#define NODECTL_ARRIVALS_P4

#include "ports.p4"

const bit<32> MAX_ARRIVALS = 0xFFFFFF;

register<bit<32>>(PORTS) arrivals_window;       // number of the present window
register<bit<32>>(PORTS) arrivals_current;      // arrivals in it
register<bit<32>>(PORTS) arrivals_previous;     // arrivals in the one before

// Does a new transmission ask? Another subflow of a transmission is not new, nor is a transmission that asks again.
control IsNewTransmission(inout headers_t hdr, inout metadata_t meta, out bit<1> is_new) {
    apply {
        is_new = 0;
        if (meta.is_known == 0 && meta.group_count == 0 && (hdr.nodectl.flags & FLAG_RENEGOTIATION) == 0) {
            is_new = 1;
        }
    }
}

// Counts one more arrival if it `is_new`. rate_q8: V_Q, in arrivals a window.
control ArrivalRate(in bit<32> port, in bit<48> now_us, in bit<1> is_new, out bit<64> rate_q8) {
    bit<32> window;
    bit<32> known_window;
    bit<32> current;
    bit<32> previous;

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
    }
}

#endif
