// The limits of one source: how often it counts as an arrival, with how many records, and with which RTT (decisions "sources", "arrivals of a source").
#ifndef SOURCES_P4
#define SOURCES_P4

#include "headers_v2.p4"

register<bit<32>>(SOURCE_SLOTS) source_window;      // in which a source last counted as an arrival, plus 1

// A source counts as one arrival a window, however often it comes.
control CountSource(inout metadata_t meta, inout bit<1> is_new) {
    bit<32> counted;
    bit<32> window;

    apply {
        if (is_new == 1) {
            window = (bit<32>) (meta.now_us >> 20) + 1;
            source_window.read(counted, meta.source_index);
            if (counted == window) {
                is_new = 0;
            } else {
                source_window.write(meta.source_index, window);
            }
        }
    }
}

control CountedRtt(in bit<32> rtt_us, out bit<32> counted_us) {
    apply {
        counted_us = rtt_us;
        if (rtt_us > MAX_COUNTED_RTT_US) {
            counted_us = MAX_COUNTED_RTT_US;
        }
    }
}

// A source with all the records that it may have gets no more of them.
control CheckQuota(inout metadata_t meta, inout bit<1> is_refused) {
    apply {
        if (is_refused == 0 && meta.is_known == 0 && meta.group_count >= SOURCE_RECORDS) {
            is_refused = 1;
            meta.verdict = VERDICT_QUOTA;
            meta.event = EVENT_REFUSED;
            meta.new_rate_kbps = 0;
        }
    }
}

#endif
