// The effect of each message and entry on its record in the variants with reserves. It is as in nodectl.p4, with the additions of reserves.p4
// and sources.p4, which docs/protocol/deployable.md explains.
#ifndef RESERVED_NEGOTIATION_P4
#define RESERVED_NEGOTIATION_P4

#include "negotiation.p4"
#include "reserves.p4"
#include "sources.p4"

control Request(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    IsNewTransmission() is_new_transmission;
    CountSource() count_source;
    CountedRtt() counted_rtt;
    ArrivalRate() arrival_rate;
    PreAllocation() pre_allocation;
    Allocation() allocation;
    CheckOffer() check_offer;
    CheckQuota() check_quota;
    Admit() admit;
    Grant() grant;
    KeepRefused() keep_refused;
    ReviveLost() revive_lost;
    Refresh() refresh;
    bit<1> is_new;
    bit<32> rtt_us;
    bit<64> rate_q8;

    apply {
        is_refused = 0;
        revive_lost.apply(hdr, meta);
        if ((hdr.nodectl.flags & FLAG_REFRESH) != 0) {
            refresh.apply(hdr, meta);
            if (!hdr.nodectl_v2.isValid() && hdr.nodectl.max_kbps < meta.reserved_kbps) {
                meta.reserved_kbps = hdr.nodectl.max_kbps;
            }
        } else {
            is_new_transmission.apply(hdr, meta, is_new);
            count_source.apply(meta, is_new);
            counted_rtt.apply(hdr.nodectl.rtt_us, rtt_us);
            arrival_rate.apply((bit<32>) meta.data_port, meta.now_us, is_new, rate_q8);
            pre_allocation.apply(rate_q8, rtt_us, meta.expected_arrivals_q8);
            allocation.apply(meta, hdr.nodectl.max_kbps);
            check_offer.apply(hdr, meta, is_refused);
            check_quota.apply(meta, is_refused);
            if (is_refused == 1) {
                if (meta.is_known == 1 && hdr.nodectl_v2.isValid() && hdr.nodectl_v2.current_kbps != 0) {
                    keep_refused.apply(hdr, meta, 0);
                    hdr.nodectl.flags = FLAG_RENEGOTIATION;
                }
            } else {
                admit.apply(hdr, meta);
                grant.apply(hdr, meta, is_refused);
            }
        }
    }
}

control Success(inout headers_t hdr, inout metadata_t meta) {
    Confirm() confirm;
    HeldBackHere() held_back_here;
    LimitAnswer() limit_answer;
    ConfirmReserve() confirm_reserve;

    apply {
        meta.last_seen_us = meta.now_us;
        if ((hdr.nodectl.flags & FLAG_REFRESH) == 0) {
            confirm.apply(hdr, meta);
            held_back_here.apply(hdr, meta);
        } else if (hdr.nodectl_v2.isValid() && hdr.nodectl.max_kbps < meta.previous_rate_kbps) {
            meta.event = EVENT_REDUCED;                             // no stale message: nothing has overtaken it
            meta.new_rate_kbps = hdr.nodectl.max_kbps;
            meta.is_bottleneck = 0;
        }
        limit_answer.apply(hdr, meta);
        confirm_reserve.apply(hdr, meta);
    }
}

control CarryOutReserved(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    LowerToCurrent() lower_to_current;
    BuildVersion2() build_version_2;
    RaiseToMinimum() raise_to_minimum;
    Request() request;
    Success() success;
    KeepRefused() keep_refused;
    Remove() remove;
    PassingReduce() passing_reduce;
    TakeBack() take_back;
    CarryOutEntry() carry_out_entry;

    apply {
        is_refused = 0;
        if (meta.operation == DO_REQUEST || meta.operation == DO_TERMINATE) {
            lower_to_current.apply(hdr, meta);
        } else if (meta.operation == DO_OWN_REDUCE || meta.operation == DO_OWN_INCREASE) {
            build_version_2.apply(hdr, meta);
        }
        if (meta.operation == DO_REQUEST) {
            request.apply(hdr, meta, is_refused);
        } else if (meta.operation == DO_SUCCESS) {
            success.apply(hdr, meta);
        } else if (meta.operation == DO_FAILURE && hdr.nodectl_v2.isValid() && hdr.nodectl_v2.current_kbps != 0
                   && (hdr.nodectl.flags & FLAG_RENEGOTIATION) != 0) {
            keep_refused.apply(hdr, meta, 1);
        } else if (meta.operation == DO_FAILURE || meta.operation == DO_TERMINATE) {
            remove.apply(meta);
        } else if (meta.operation == DO_PASSING_REDUCE) {
            passing_reduce.apply(meta, hdr.nodectl.max_kbps);
        } else if (meta.operation == DO_TAKE_BACK) {
            take_back.apply(meta);
        } else {
            if (meta.operation == DO_OWN_REDUCE) {
                raise_to_minimum.apply(hdr, meta);
            }
            carry_out_entry.apply(hdr, meta);
            if (meta.operation == DO_READ_PORT) {
                meta.share_kbps = meta.capacity_kbps;               // the capacity that is divided now (decision "the measured load")
            }
        }
        meta.rate_kbps = meta.new_rate_kbps;
    }
}

#endif
