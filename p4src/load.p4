// The load of a port, which is data in the class of others, and the capacity beside it for those who negotiate (decision "the measured load").
//
// Bytes are counted as they leave, after the queue, in a sliding window as arrivals are (arrivals.p4). It has the bytes of the present window of
// 2^20 µs (1.05 s), and of the window before the part that is less than one window ago.
#ifndef LOAD_P4
#define LOAD_P4

#include "headers_v2.p4"

register<bit<32>>(PORTS) load_window;       // number of the present window
register<bit<64>>(PORTS) load_current;      // bytes in it
register<bit<64>>(PORTS) load_previous;     // bytes in the one before

// The two windows as they are at a time. A copy that goes round again has the time of its beginning, which may lie in a window that is over.
control LoadWindows(in bit<32> port, in bit<48> now_us, out bit<32> window, out bit<64> current, out bit<64> previous) {
    bit<32> known_window;

    apply {
        window = (bit<32>) (now_us >> 20);
        load_window.read(known_window, port);
        load_current.read(current, port);
        load_previous.read(previous, port);
        if (window < known_window) {
            window = known_window;
        } else if (window != known_window) {
            if (window == known_window + 1) {
                previous = current;
            } else {
                previous = 0;
            }
            current = 0;
        }
    }
}

// A packet leaves: one in the class of others is load.
control CountLoad(in bit<32> port, in bit<48> now_us, in bit<32> length, in bit<3> traffic_class) {
    LoadWindows() load_windows;
    bit<32> window;
    bit<64> current;
    bit<64> previous;

    apply {
        if (traffic_class == CLASS_OTHERS) {
            load_windows.apply(port, now_us, window, current, previous);
            load_window.write(port, window);
            load_current.write(port, current + (bit<64>) length);
            load_previous.write(port, previous);
        }
    }
}

// Lowers the capacity by the load, but not below the part that is kept for those who negotiate.
control LessLoad(in bit<32> port, in bit<48> now_us, in bit<32> least_kbps, inout bit<32> capacity_kbps) {
    LoadWindows() load_windows;
    bit<32> window;
    bit<64> current;
    bit<64> previous;
    bit<64> remaining_us;
    bit<64> load_kbps;

    apply {
        if (least_kbps < capacity_kbps) {
            load_windows.apply(port, now_us, window, current, previous);
            remaining_us = 0x100000;
            if (window == (bit<32>) (now_us >> 20)) {
                remaining_us = 0x100000 - (bit<64>) now_us[19:0];
            }
            load_kbps = current + ((previous * remaining_us) >> 20);        // bytes in 2^20 µs
            load_kbps = (load_kbps * UNITS_PER_BYTE) >> 20;
            if (load_kbps >= (bit<64>) (capacity_kbps - least_kbps)) {
                capacity_kbps = least_kbps;
            } else {
                capacity_kbps = capacity_kbps - (bit<32>) load_kbps;
            }
        }
    }
}

#endif
