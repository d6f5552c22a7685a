// The steps of Algorithm 4 of the paper; nodectl.p4 says in which order.
#ifndef NODECTL_NEGOTIATION_P4
#define NODECTL_NEGOTIATION_P4

#include "decisions.p4"

// Lines 5 and 6: no failure for nothing.
control CheckOffer(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    apply {
        is_refused = 0;
        if (meta.share_kbps == 0 || meta.share_kbps < hdr.nodectl.min_kbps) {
            is_refused = 1;
            meta.verdict = VERDICT_BELOW_MIN;
        } else if ((meta.is_known == 0 && meta.has_free_slot == 0)
                   || (meta.group_slot == NO_SLOT && meta.has_free_group == 0)) {
            is_refused = 1;
            meta.verdict = VERDICT_STORE_FULL;
            meta.has_error = 1;
            meta.error_reason = ERROR_STORE_FULL;
        }
        if (is_refused == 1) {
            meta.event = EVENT_REFUSED;
            meta.new_rate_kbps = 0;
        }
    }
}

// Lines 8 to 12.
control Admit(inout headers_t hdr, inout metadata_t meta) {
    ReservedRate() reserved_rate;
    apply {
        meta.event = EVENT_ADMITTED;
        meta.last_seen_us = meta.now_us;
        if (meta.is_known == 0) {
            meta.slot = meta.free_slot;
        }
        if (hdr.nodectl.max_kbps > meta.share_kbps) {               // lines 8 and 9
            hdr.nodectl.max_kbps = meta.share_kbps;
            meta.is_changed = 1;
        }
        reserved_rate.apply(meta, hdr.nodectl.max_kbps);            // line 11
    }
}

// Lines 20 to 25. The port's own offer decides about the flag, not what is left of it in the record.
control Confirm(inout headers_t hdr, inout metadata_t meta) {
    LoweredBySuccess() lowered_by_success;
    apply {
        meta.event = EVENT_CONFIRMED;
        meta.is_bottleneck = 0;                                     // lines 21 and 22
        if (meta.share_kbps <= hdr.nodectl.max_kbps) {
            meta.is_bottleneck = 1;                                 // lines 23 and 24
        }
        lowered_by_success.apply(meta, hdr.nodectl.max_kbps);
    }
}

// Lines 26 and 27.
control Remove(inout metadata_t meta) {
    apply {
        meta.event = EVENT_REMOVED;
        meta.new_rate_kbps = 0;
        meta.verdict = VERDICT_TERMINATE;
        if (meta.operation == DO_FAILURE) {
            meta.verdict = VERDICT_FAILURE;                         // a failure removes the record
        }
    }
}

#endif
