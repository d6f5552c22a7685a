// The effect of requests and answers on a record, when senders ask again and again and follow the level (docs/decisions/one-level-a-port.md).
//
// A record's rate and flag (is_bottleneck) are all that is known of it. With the flag, this port's level is all that keeps it from more;
// without the flag, it has its rate from elsewhere.
#ifndef LEVEL_FOLLOWING_P4
#define LEVEL_FOLLOWING_P4

#include "reserved_negotiation.p4"

// As CarryOutReserved, which does all the rest. The controller hears of records that come and go, and of nothing else.
control CarryOutFollowing(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    CarryOutReserved() carry_out_reserved;
    bit<32> previous_rate_kbps;

    apply {
        previous_rate_kbps = meta.previous_rate_kbps;
        if ((meta.operation == DO_REQUEST || meta.operation == DO_SUCCESS) && (hdr.nodectl.flags & FLAG_REFRESH) != 0) {
            hdr.nodectl.flags = FLAG_RENEGOTIATION;             // a sender that only wants to keep its rate hears of the level, too
            meta.is_changed = 1;
        }
        if (meta.operation == DO_REQUEST && meta.previous_is_bottleneck == 0 && meta.is_known == 1
            && hdr.nodectl_v2.isValid() && hdr.nodectl_v2.granted_kbps > previous_rate_kbps) {
            hdr.nodectl_v2.granted_kbps = previous_rate_kbps;   // nothing is reserved that it cannot have elsewhere
            meta.is_changed = 1;
        }
        if (meta.operation == DO_SUCCESS) {
            // It may have the rate that it was offered when it asked, even if that is more than before.
            meta.previous_rate_kbps = meta.share_kbps;
            meta.new_rate_kbps = meta.share_kbps;
        }
        carry_out_reserved.apply(hdr, meta, is_refused);
        meta.previous_rate_kbps = previous_rate_kbps;

        if (meta.event == EVENT_ADMITTED) {
            if (meta.is_known == 1 && meta.previous_is_bottleneck == 0 && previous_rate_kbps <= meta.new_rate_kbps) {
                meta.new_rate_kbps = previous_rate_kbps;        // held back elsewhere, until the answer says that it is not
            } else {
                meta.is_bottleneck = 0;
                if (meta.new_rate_kbps == meta.share_kbps) {
                    meta.is_bottleneck = 1;
                }
            }
            if (meta.share_kbps <= meta.min_kbps) {
                meta.is_bottleneck = 0;                         // it is its Min that it has, whatever the level
            }
            if (meta.is_known == 1) {
                meta.event = EVENT_NONE;
            }
        } else if (meta.event == EVENT_CONFIRMED) {
            if (meta.share_kbps <= meta.min_kbps) {
                meta.is_bottleneck = 0;
            }
            meta.event = EVENT_NONE;
        } else if (meta.event == EVENT_REFUSED) {
            if (meta.new_rate_kbps != 0 && meta.port_reserved_sum_kbps > (bit<64>) meta.capacity_kbps) {
                meta.new_rate_kbps = 0;                         // the Mins do not fit any more (decision "Mins of a link that gets slower"): it goes, and is told so
                hdr.nodectl.flags = 0;
            }
        } else if (meta.event == EVENT_REFRESHED) {
            meta.event = EVENT_NONE;
        }
        meta.rate_kbps = meta.new_rate_kbps;
    }
}

#endif
