// What each message and entry does to the record it is about (Algorithm 4 of the paper, with the deviations of docs/protocol.md).
// The deviations with a NODECTL_WITHOUT_… can be left out (p4c -D), to measure what they change.
//
// On entry meta holds the record as it is (previous_…) and the sums of its port without it; afterwards new_rate_kbps,
// is_bottleneck and last_seen_us are the record as it is to be, and event and verdict are what the controller is told.
#ifndef NODECTL_OPERATIONS_P4
#define NODECTL_OPERATIONS_P4

#include "headers.p4"
#include "arrivals.p4"
#include "allocation_of_variant.p4"
#include "records.p4"

control Request(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    ExpectedArrivals() expected_arrivals;
    ALLOCATION() allocation;
#ifdef NODECTL_DEPLOYABLE
    Grant() grant;
    KeepRefused() keep_refused;
    CountSource() count_source;
#endif
    bit<1> is_new;
    bit<32> rtt_us;

    apply {
        is_refused = 0;
        if ((hdr.nodectl.flags & FLAG_REFRESH) != 0 && meta.is_known == 0) {
            // State that this switch has lost comes back as a renegotiation.
            hdr.nodectl.flags = FLAG_RENEGOTIATION;
            meta.is_changed = 1;
        }
        if ((hdr.nodectl.flags & FLAG_REFRESH) != 0) {
            meta.event = EVENT_REFRESHED;
            meta.last_seen_us = meta.now_us;
            if (meta.new_rate_kbps > hdr.nodectl.max_kbps) {
                meta.new_rate_kbps = hdr.nodectl.max_kbps;
                meta.is_bottleneck = 0;                             // somebody else has slowed it down
            }
#ifdef NODECTL_DEPLOYABLE
            if (!hdr.nodectl_v2.isValid() && hdr.nodectl.max_kbps < meta.reserved_kbps) {
                meta.reserved_kbps = hdr.nodectl.max_kbps;
            }
#endif
        } else {
            is_new = 0;
            if (meta.is_known == 0 && meta.group_count == 0 && (hdr.nodectl.flags & FLAG_RENEGOTIATION) == 0) {
                is_new = 1;                                         // a new transmission, not another subflow of one
            }
            rtt_us = hdr.nodectl.rtt_us;
#ifdef NODECTL_DEPLOYABLE
            count_source.apply(meta, is_new);
            if (rtt_us > MAX_COUNTED_RTT_US) {
                rtt_us = MAX_COUNTED_RTT_US;                        // no RTT counts for more
            }
#endif
            expected_arrivals.apply((bit<32>) meta.data_port, meta.now_us, rtt_us, is_new,
                                    meta.expected_arrivals_q8);
            allocation.apply(meta, hdr.nodectl.max_kbps);
            if (meta.share_kbps == 0 || meta.share_kbps < hdr.nodectl.min_kbps) {
                is_refused = 1;
                meta.verdict = VERDICT_BELOW_MIN;
            } else if ((meta.is_known == 0 && meta.has_free_slot == 0)
                       || (meta.group_slot == NO_SLOT && meta.has_free_group == 0)) {
                is_refused = 1;
                meta.verdict = VERDICT_STORE_FULL;
                meta.has_error = 1;
                meta.error_reason = ERROR_STORE_FULL;
#ifdef NODECTL_DEPLOYABLE
            } else if (meta.is_known == 0 && meta.group_count >= SOURCE_RECORDS) {
                is_refused = 1;
                meta.verdict = VERDICT_QUOTA;
#endif
            }
            if (is_refused == 1) {
                meta.event = EVENT_REFUSED;
                meta.new_rate_kbps = 0;
#ifdef NODECTL_DEPLOYABLE
                if (meta.is_known == 1 && hdr.nodectl_v2.isValid() && hdr.nodectl_v2.current_kbps != 0) {
                    keep_refused.apply(hdr, meta, 0);
                    hdr.nodectl.flags = FLAG_RENEGOTIATION;
                }
#endif
            } else {
                meta.event = EVENT_ADMITTED;
                meta.last_seen_us = meta.now_us;
                if (meta.is_known == 0) {
                    meta.slot = meta.free_slot;
                }
                if (hdr.nodectl.max_kbps > meta.share_kbps) {
                    hdr.nodectl.max_kbps = meta.share_kbps;
                    meta.is_changed = 1;
                }
#ifdef NODECTL_WITHOUT_D10
                meta.new_rate_kbps = meta.share_kbps;
#else
                meta.new_rate_kbps = hdr.nodectl.max_kbps;          // no more is reserved than wanted
#endif
#ifdef NODECTL_DEPLOYABLE
                grant.apply(hdr, meta, is_refused);
#endif
            }
        }
    }
}

control Success(inout headers_t hdr, inout metadata_t meta) {
#ifdef NODECTL_DEPLOYABLE
    ConfirmReserve() confirm_reserve;

#endif
    apply {
        meta.last_seen_us = meta.now_us;
        if ((hdr.nodectl.flags & FLAG_REFRESH) == 0) {
            meta.event = EVENT_CONFIRMED;
            meta.is_bottleneck = 0;
            if (meta.share_kbps <= hdr.nodectl.max_kbps) {
                meta.is_bottleneck = 1;
            }
#ifdef NODECTL_DEPLOYABLE
            if (!hdr.nodectl_v2.isValid() && meta.reserved_kbps <= hdr.nodectl.max_kbps) {
                meta.is_bottleneck = 1;                             // no more was granted here, for the time being
            }
            if ((hdr.nodectl.flags & FLAG_AGAIN) != 0 && meta.previous_is_bottleneck == 1) {
                meta.is_bottleneck = 1;                             // it asked for no more than this port had offered
            }
#endif
#ifndef NODECTL_WITHOUT_D1
            if (hdr.nodectl.max_kbps < meta.previous_rate_kbps) {
                meta.new_rate_kbps = hdr.nodectl.max_kbps;          // what another bottleneck leaves is free
            }
#endif
#ifdef NODECTL_DEPLOYABLE
        } else if (hdr.nodectl_v2.isValid() && hdr.nodectl.max_kbps < meta.previous_rate_kbps) {
            meta.event = EVENT_REDUCED;                             // by its number nothing has overtaken it
            meta.new_rate_kbps = hdr.nodectl.max_kbps;
            meta.is_bottleneck = 0;
#endif
        }
        if (hdr.nodectl.max_kbps > meta.previous_rate_kbps) {
            hdr.nodectl.max_kbps = meta.previous_rate_kbps;         // both become the smaller one
            meta.is_changed = 1;
        }
#ifdef NODECTL_DEPLOYABLE
        confirm_reserve.apply(hdr, meta);
#endif
    }
}

// A reduce on its way to the sender lowers the record too.
control PassingReduce(inout headers_t hdr, inout metadata_t meta) {
    apply {
#ifndef NODECTL_WITHOUT_D2
        if (hdr.nodectl.max_kbps < meta.previous_rate_kbps) {
            meta.event = EVENT_REDUCED;
            meta.new_rate_kbps = hdr.nodectl.max_kbps;
            meta.is_bottleneck = 0;
        }
#endif
    }
}

// This switch's controller reduces: this port is the bottleneck then. A record that is lower already stays, and the sender is told what it is.
control OwnReduce(inout headers_t hdr, inout metadata_t meta) {
    apply {
#ifdef NODECTL_DEPLOYABLE
        if (meta.value < meta.min_kbps) {
            meta.value = meta.min_kbps;                             // a record keeps its Min
            hdr.nodectl.max_kbps = meta.min_kbps;
        }
#endif
        if (meta.value < meta.previous_rate_kbps) {
            meta.new_rate_kbps = meta.value;
            meta.share_kbps = meta.value;
            meta.is_bottleneck = 1;
        } else {
            hdr.nodectl.max_kbps = meta.previous_rate_kbps;
        }
    }
}

control Expire(inout metadata_t meta) {
    apply {
        // A refresh may have come between two entries of a batch, which know the time of its beginning.
        if (meta.now_us >= meta.last_seen_us && meta.now_us - meta.last_seen_us >= (bit<48>) meta.value) {
            meta.event = EVENT_REMOVED;
            meta.verdict = VERDICT_EXPIRED;
            meta.new_rate_kbps = 0;
        } else {
            meta.event = EVENT_REFRESHED;
        }
    }
}

control CarryOut(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    Request() request;
    Success() success;
    PassingReduce() passing_reduce;
    OwnReduce() own_reduce;
    Expire() expire;
#ifdef NODECTL_DEPLOYABLE
    LowerToCurrent() lower_to_current;
    KeepRefused() keep_refused;
    BuildVersion2() build_version_2;
    TakeBack() take_back;
#endif

    apply {
        is_refused = 0;
#ifdef NODECTL_DEPLOYABLE
        if (meta.operation == DO_REQUEST || meta.operation == DO_TERMINATE) {
            lower_to_current.apply(hdr, meta);
        } else if (meta.operation == DO_OWN_REDUCE || meta.operation == DO_OWN_INCREASE) {
            build_version_2.apply(hdr, meta);
        }
#endif
        if (meta.operation == DO_REQUEST) {
            request.apply(hdr, meta, is_refused);
        } else if (meta.operation == DO_SUCCESS) {
            success.apply(hdr, meta);
        } else if (meta.operation == DO_PASSING_REDUCE) {
            passing_reduce.apply(hdr, meta);
        } else if (meta.operation == DO_OWN_REDUCE) {
            own_reduce.apply(hdr, meta);
        } else if (meta.operation == DO_EXPIRE) {
            expire.apply(meta);
#ifdef NODECTL_DEPLOYABLE
        } else if (meta.operation == DO_FAILURE && hdr.nodectl_v2.isValid() && hdr.nodectl_v2.current_kbps != 0
                   && (hdr.nodectl.flags & FLAG_RENEGOTIATION) != 0) {
            keep_refused.apply(hdr, meta, 1);
        } else if (meta.operation == DO_TAKE_BACK) {
            take_back.apply(meta);
#endif
        } else if (meta.operation == DO_FAILURE || meta.operation == DO_TERMINATE) {
            meta.event = EVENT_REMOVED;
            meta.new_rate_kbps = 0;
            if (meta.operation == DO_FAILURE) {
                meta.verdict = VERDICT_FAILURE;             // the record goes
            } else {
                meta.verdict = VERDICT_TERMINATE;
            }
        } else if (meta.operation == DO_READ_SLOT) {
            meta.event = EVENT_RECORD;
        } else if (meta.operation == DO_READ_PORT) {
            meta.event = EVENT_PORT_TOTALS;
#ifdef NODECTL_DEPLOYABLE
            meta.share_kbps = meta.capacity_kbps;           // what is divided now (the measured load)
#endif
        }
        meta.rate_kbps = meta.new_rate_kbps;
    }
}

#ifdef NODECTL_FAIR_LEVEL
#include "following.p4"
#define CARRY_OUT CarryOutFollowing
#else
#define CARRY_OUT CarryOut
#endif

#endif
