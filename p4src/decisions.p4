// Decisions of ours, where the paper says nothing or something else (docs/decisions/index.md). Some can be left out, to measure their effect
// (p4c -D NODECTL_WITHOUT_…). Each of these is a control; another one of the same name takes its place, and this file alone chooses.
#ifndef NODECTL_DECISIONS_P4
#define NODECTL_DECISIONS_P4

// V_Q: as many transmissions are expected as the rate of arrivals says. Q_T: at least the one that asks is expected. The result is expected_q8.
// B_v is divided by it: without Q_T, by the paper's letter, it is the least number above 0, and B_c may then have more bits than a rate.
#ifdef NODECTL_WITHOUT_V_Q
control LeastExpected(inout bit<64> expected_q8) {
    apply { expected_q8 = (bit<64>) ONE_ARRIVAL_Q8; }
}
#elif defined(NODECTL_WITHOUT_Q_T)
control LeastExpected(inout bit<64> expected_q8) {
    apply {
        if (expected_q8 == 0) {
            expected_q8 = 1;
        }
    }
}
#else
control LeastExpected(inout bit<64> expected_q8) {
    apply {
        if (expected_q8 < (bit<64>) ONE_ARRIVAL_Q8) {
            expected_q8 = (bit<64>) ONE_ARRIVAL_Q8;
        }
    }
}
#endif

#ifdef NODECTL_WITHOUT_Q_T
control WithinRates(inout bit<64> rate_kbps) {
    apply {
        if (rate_kbps[63:32] != 0) {
            rate_kbps = 0xFFFFFFFF;
        }
    }
}
#else
control WithinRates(inout bit<64> rate_kbps) { apply {} }
#endif

// No more than is asked for: a transmission that wants less than its share changes nobody, if that much is free. Its record has no more than it wants.
#ifdef NODECTL_WITHOUT_D10
control WantsLess(inout metadata_t meta, in bit<32> max_kbps, in bit<32> free_kbps) { apply {} }

control ReservedRate(inout metadata_t meta, in bit<32> max_kbps) {
    apply { meta.new_rate_kbps = meta.share_kbps; }
}
#else
control WantsLess(inout metadata_t meta, in bit<32> max_kbps, in bit<32> free_kbps) {
    apply {
        if (max_kbps < meta.share_kbps && (bit<64>) max_kbps + meta.group_sum_kbps <= (bit<64>) free_kbps) {
            meta.verdict = VERDICT_SHARE;
        }
    }
}

control ReservedRate(inout metadata_t meta, in bit<32> max_kbps) {
    apply { meta.new_rate_kbps = max_kbps; }
}
#endif

// A success lowers the record, if it is below the record's rate.
#ifdef NODECTL_WITHOUT_D1
control LoweredBySuccess(inout metadata_t meta, in bit<32> max_kbps) { apply {} }
#else
control LoweredBySuccess(inout metadata_t meta, in bit<32> max_kbps) {
    apply {
        if (max_kbps < meta.previous_rate_kbps) {
            meta.new_rate_kbps = max_kbps;
        }
    }
}
#endif

// A passing reduce lowers the record: one from another switch, on its way to the sender.
#ifdef NODECTL_WITHOUT_D2
control PassingReduce(inout metadata_t meta, in bit<32> speed_kbps) { apply {} }
#else
control PassingReduce(inout metadata_t meta, in bit<32> speed_kbps) {
    apply {
        if (speed_kbps < meta.previous_rate_kbps) {
            meta.event = EVENT_REDUCED;
            meta.new_rate_kbps = speed_kbps;
            meta.is_bottleneck = 0;
        }
    }
}
#endif

// Answers with the lower rate of record and message: no sender is told more than its record has.
control LimitAnswer(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (hdr.nodectl.max_kbps > meta.previous_rate_kbps) {
            hdr.nodectl.max_kbps = meta.previous_rate_kbps;
            meta.is_changed = 1;
        }
    }
}

// Turns a refresh without a record into a renegotiation, by which lost state comes back.
control ReviveLost(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if ((hdr.nodectl.flags & FLAG_REFRESH) != 0 && meta.is_known == 0) {
            hdr.nodectl.flags = FLAG_RENEGOTIATION;
            meta.is_changed = 1;
        }
    }
}

// A refresh: a request that only keeps its transmission's rate. A lower refresh clears is_bottleneck, since somebody else has slowed it down.
control Refresh(inout headers_t hdr, inout metadata_t meta) {
    apply {
        meta.event = EVENT_REFRESHED;
        meta.last_seen_us = meta.now_us;
        if (meta.new_rate_kbps > hdr.nodectl.max_kbps) {
            meta.new_rate_kbps = hdr.nodectl.max_kbps;
            meta.is_bottleneck = 0;
        }
    }
}

#endif
