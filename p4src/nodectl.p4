// Nodectl: switches that take part in rate control, as the paper has it (Liu, Ni, Han 2023), with the decisions that hold in all variants (docs/decisions/index.md).
//
// Algorithm 4 is here, Algorithm 1 in pre_allocation.p4 and allocation.p4, Algorithm 2 in subflows.p4; "lines" are the paper's.
// The controller hears of each change, and sends the messages of lines 13 to 18.
#include <core.p4>
#include <v1model.p4>

// No part of the algorithms: the work of any switch, and the store of this one's records.
#include "headers.p4"
#include "parser.p4"
#include "version_1.p4"
#include "slots_by_crc.p4"
#include "records.p4"
#include "arrivals.p4"
#include "entries.p4"
// Algorithm 1 with Algorithm 2, and the steps of Algorithm 4.
#include "pre_allocation.p4"
#include "allocation.p4"
#include "negotiation.p4"

// Lines 3 to 12: a request. One that is_refused turns round, as a failure.
control Request(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    IsNewTransmission() is_new_transmission;
    ArrivalRate() arrival_rate;
    PreAllocation() pre_allocation;
    Allocation() allocation;
    CheckOffer() check_offer;
    Admit() admit;
    ReviveLost() revive_lost;
    Refresh() refresh;
    bit<1> is_new;
    bit<64> rate_q8;

    apply {
        is_refused = 0;
        revive_lost.apply(hdr, meta);
        if ((hdr.nodectl.flags & FLAG_REFRESH) != 0) {
            refresh.apply(hdr, meta);
        } else {
            is_new_transmission.apply(hdr, meta, is_new);
            arrival_rate.apply((bit<32>) meta.data_port, meta.now_us, is_new, rate_q8);
            pre_allocation.apply(rate_q8, hdr.nodectl.rtt_us, meta.expected_arrivals_q8);
            allocation.apply(meta, hdr.nodectl.max_kbps);           // line 4
            check_offer.apply(hdr, meta, is_refused);               // line 5
            if (is_refused == 0) {
                admit.apply(hdr, meta);                             // lines 8 to 12
            }
        }
    }
}

// Lines 20 to 25: a success.
control Success(inout headers_t hdr, inout metadata_t meta) {
    Confirm() confirm;
    LimitAnswer() limit_answer;

    apply {
        meta.last_seen_us = meta.now_us;
        if ((hdr.nodectl.flags & FLAG_REFRESH) == 0) {
            confirm.apply(hdr, meta);
        }
        limit_answer.apply(hdr, meta);
    }
}

// Line 2: which kind of message is it? At first, meta has the record as it is (previous_…) and the sums of its port without it. Afterwards
// new_rate_kbps, is_bottleneck and last_seen_us are the record as it is to be; event and verdict are the news for the controller.
control CarryOut(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    Request() request;
    Success() success;
    Remove() remove;
    PassingReduce() passing_reduce;
    CarryOutEntry() carry_out_entry;

    apply {
        is_refused = 0;
        if (meta.operation == DO_REQUEST) {                                             // line 3
            request.apply(hdr, meta, is_refused);
        } else if (meta.operation == DO_SUCCESS) {                                      // line 20
            success.apply(hdr, meta);
        } else if (meta.operation == DO_FAILURE || meta.operation == DO_TERMINATE) {    // line 26
            remove.apply(meta);
        } else if (meta.operation == DO_PASSING_REDUCE) {
            passing_reduce.apply(meta, hdr.nodectl.max_kbps);
        } else {
            carry_out_entry.apply(hdr, meta);                                           // among them line 26, a record's time-out
        }
        meta.rate_kbps = meta.new_rate_kbps;
    }
}

#include "pipeline.p4"

V1Switch(NodectlParser(), NodectlVerifyChecksum(), NodectlIngress(), NodectlEgress(),
         NodectlComputeChecksum(), NodectlDeparser()) main;
