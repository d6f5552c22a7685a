// The rates that a port's senders may be sending, never more than its capacity: two-phase grants, and messages that come late (decision "stale messages").
//
// A record's rate is its target; its reserve is the most that its sender may be sending for all this switch knows.
#ifndef RESERVES_P4
#define RESERVES_P4

#include "headers_v2.p4"

register<bit<32>>(SLOTS) record_reserved_kbps;
register<bit<32>>(SLOTS) record_confirmed_kbps; // the part of it that its sender was told it has: the last request may still be under way
register<bit<32>>(SLOTS) record_min_kbps;
register<bit<32>>(SLOTS) record_sequence;       // of the sender's latest message; 0: it speaks version 1. Stays when the record goes
register<bit<48>>(SLOTS) record_grace_us;       // until when its sender may send more than it was reduced to
register<bit<64>>(PORTS) port_reserved_sum;     // kbit/s

// A message with a number that does not count any more is an error. A message without a number is stale where numbers are known.
control CheckSequence(inout headers_t hdr, inout metadata_t meta) {
    bit<32> known;
    bit<32> sequence;
    bit<1> is_stale;

    apply {
        sequence = 0;
        if (hdr.nodectl_v2.isValid()) {
            sequence = hdr.nodectl_v2.sequence;
        }
        known = 0;
        if (meta.is_known == 1) {
            record_sequence.read(known, meta.slot);
        }
        is_stale = 0;
        if (meta.operation == DO_REQUEST) {
            if (sequence < known || (hdr.nodectl_v2.isValid() && sequence == 0)) {
                is_stale = 1;
            } else if (meta.is_known == 0 && meta.ended_sequence != 0 && sequence <= meta.ended_sequence) {
                is_stale = 1;                               // it would make a record that nobody ends
            }
        } else if (meta.operation == DO_TERMINATE) {
            if (sequence < known) {
                is_stale = 1;
            }
        } else if (meta.operation == DO_SUCCESS || meta.operation == DO_FAILURE) {
            if (sequence != known) {
                is_stale = 1;
            }
        }
        if (is_stale == 1) {
            meta.has_error = 1;
            meta.error_reason = ERROR_STALE;
            meta.operation = DO_NOTHING;
        }
    }
}

control LoadReserve(inout metadata_t meta) {
    apply {
        port_reserved_sum.read(meta.port_reserved_sum_kbps, (bit<32>) meta.data_port);
        if (meta.is_known == 1) {
            record_reserved_kbps.read(meta.reserved_kbps, meta.slot);
            record_confirmed_kbps.read(meta.confirmed_kbps, meta.slot);
            record_min_kbps.read(meta.min_kbps, meta.slot);
            record_sequence.read(meta.sequence, meta.slot);
        }
        meta.previous_reserved_kbps = meta.reserved_kbps;
    }
}

control StoreReserve(inout metadata_t meta) {
    apply {
        if (meta.new_rate_kbps == 0) {
            meta.reserved_kbps = 0;
        } else {
            record_reserved_kbps.write(meta.slot, meta.reserved_kbps);
            if (meta.confirmed_kbps > meta.reserved_kbps) {
                meta.confirmed_kbps = meta.reserved_kbps;
            }
            record_confirmed_kbps.write(meta.slot, meta.confirmed_kbps);
            record_min_kbps.write(meta.slot, meta.min_kbps);
            if (meta.new_rate_kbps < meta.reserved_kbps && meta.previous_rate_kbps >= meta.previous_reserved_kbps) {
                record_grace_us.write(meta.slot, meta.now_us + GRACE_US);
            }
        }
        if (meta.slot != NO_SLOT) {
            record_sequence.write(meta.slot, meta.sequence);
        }
        if (meta.reserved_kbps > meta.previous_reserved_kbps
            && meta.port_reserved_sum_kbps + (bit<64>) (meta.reserved_kbps - meta.previous_reserved_kbps)
               > (bit<64>) meta.capacity_kbps) {
            meta.is_overcommitted = 1;                      // never, if all of this is right
        }
        meta.port_reserved_sum_kbps = meta.port_reserved_sum_kbps - (bit<64>) meta.previous_reserved_kbps
                                      + (bit<64>) meta.reserved_kbps;
        port_reserved_sum.write((bit<32>) meta.data_port, meta.port_reserved_sum_kbps);
    }
}

// The sender was told to reduce, had the time, and did not say that it has. The first switch makes sure that it did (decision "enforcement").
control TakeBack(inout metadata_t meta) {
    bit<48> grace_until_us;

    apply {
        record_grace_us.read(grace_until_us, meta.slot);
        if (meta.new_rate_kbps < meta.reserved_kbps && meta.now_us >= grace_until_us) {
            meta.reserved_kbps = meta.new_rate_kbps;
        }
    }
}

// The sender says the most that it sends, and the reserve need not be more. This holds for a message with a new number, which the record takes.
control LowerToCurrent(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (hdr.nodectl_v2.isValid() && hdr.nodectl_v2.sequence > meta.sequence) {
            if (hdr.nodectl_v2.current_kbps < meta.reserved_kbps) {
                meta.reserved_kbps = hdr.nodectl_v2.current_kbps;
            }
            meta.sequence = hdr.nodectl_v2.sequence;
        }
    }
}

// A request was admitted at new_rate_kbps: how much of it may be had at once? If that is nothing, one of version 1 has to wait: is_refused.
control Grant(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    bit<64> others_kbps;
    bit<32> granted_kbps;

    apply {
        is_refused = 0;
        meta.min_kbps = hdr.nodectl.min_kbps;
        granted_kbps = meta.new_rate_kbps;
        if (hdr.nodectl_v2.isValid() && hdr.nodectl_v2.granted_kbps < granted_kbps) {
            granted_kbps = hdr.nodectl_v2.granted_kbps;
        }
        others_kbps = meta.port_reserved_sum_kbps - (bit<64>) meta.previous_reserved_kbps;
        if (others_kbps >= (bit<64>) meta.capacity_kbps) {
            granted_kbps = 0;
        } else if ((bit<64>) granted_kbps > (bit<64>) meta.capacity_kbps - others_kbps) {
            granted_kbps = (bit<32>) ((bit<64>) meta.capacity_kbps - others_kbps);
        }
        if (granted_kbps < meta.min_kbps) {
            granted_kbps = 0;
        }
        if (meta.confirmed_kbps > meta.reserved_kbps) {
            meta.confirmed_kbps = meta.reserved_kbps;
        }
        if (granted_kbps > meta.reserved_kbps) {
            meta.reserved_kbps = granted_kbps;
        }
        if (hdr.nodectl_v2.isValid()) {
            if (granted_kbps != hdr.nodectl_v2.granted_kbps) {
                hdr.nodectl_v2.granted_kbps = granted_kbps;
                meta.is_changed = 1;
            }
        } else if (granted_kbps == 0) {
            is_refused = 1;
        } else if (granted_kbps < hdr.nodectl.max_kbps) {
            hdr.nodectl.max_kbps = granted_kbps;
            meta.is_changed = 1;
        }
    }
}

// A request was refused, here or (`is_passing`) behind this switch, and its sender goes on with its rate.
control KeepRefused(inout headers_t hdr, inout metadata_t meta, in bit<1> is_passing) {
    apply {
        meta.new_rate_kbps = meta.previous_rate_kbps;
        meta.is_bottleneck = meta.previous_is_bottleneck;
        if (is_passing == 1) {
            if (hdr.nodectl_v2.current_kbps < meta.new_rate_kbps) {
                meta.event = EVENT_REDUCED;
                meta.new_rate_kbps = hdr.nodectl_v2.current_kbps;
                meta.is_bottleneck = 0;
            }
            if (hdr.nodectl_v2.current_kbps < meta.reserved_kbps) {
                meta.reserved_kbps = hdr.nodectl_v2.current_kbps;
            }
        }
    }
}

// A success of version 2: no more is granted than is reserved, or has become free (docs/decisions/nobody-waits-for-what-is-free.md). No more is
// reserved than is granted or sent. The rate that a message says is sent counts as far as it was confirmed before.
control ConfirmReserve(inout headers_t hdr, inout metadata_t meta) {
    bit<32> granted_kbps;
    bit<32> confirmed_kbps;
    bit<64> others_kbps;
    bit<64> most_kbps;

    apply {
        if (hdr.nodectl_v2.isValid()) {
            most_kbps = (bit<64>) meta.reserved_kbps;
            others_kbps = meta.port_reserved_sum_kbps - (bit<64>) meta.reserved_kbps;
            if ((hdr.nodectl.flags & FLAG_REFRESH) == 0 && others_kbps + most_kbps < (bit<64>) meta.capacity_kbps) {
                most_kbps = (bit<64>) meta.capacity_kbps - others_kbps;
            }
            granted_kbps = hdr.nodectl_v2.granted_kbps;
            if (granted_kbps > hdr.nodectl.max_kbps) {
                granted_kbps = hdr.nodectl.max_kbps;
            }
            if ((bit<64>) granted_kbps > most_kbps) {
                granted_kbps = (bit<32>) most_kbps;
            }
            if (granted_kbps < meta.min_kbps) {
                granted_kbps = 0;
            }
            if (granted_kbps != hdr.nodectl_v2.granted_kbps) {
                hdr.nodectl_v2.granted_kbps = granted_kbps;
                meta.is_changed = 1;
            }
            confirmed_kbps = meta.confirmed_kbps;
            if (hdr.nodectl_v2.current_kbps < confirmed_kbps) {
                confirmed_kbps = hdr.nodectl_v2.current_kbps;
            }
            if (granted_kbps < confirmed_kbps) {
                granted_kbps = confirmed_kbps;
            }
            meta.reserved_kbps = granted_kbps;
            meta.confirmed_kbps = granted_kbps;
        }
    }
}

// Answers that come another way: a request takes this switch's mark along, and its success takes it off again. The token is not needed behind the first switch.
control MarkPath(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (hdr.nodectl_v2.isValid() && meta.path_mark != 0) {
            hdr.nodectl_v2.token = hdr.nodectl_v2.token ^ (48w0 ++ meta.path_mark);
            meta.is_changed = 1;
        }
    }
}

// An adjustment that this switch makes is of the version that the sender speaks.
control BuildVersion2(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (meta.sequence != 0) {
            hdr.ipv4.total_length = NODECTL_V2_IPV4_LENGTH;
            hdr.udp.length = NODECTL_V2_UDP_LENGTH;
            hdr.nodectl.version = NODECTL_VERSION_2;
            hdr.nodectl_v2.setValid();
            hdr.nodectl_v2.sequence = meta.sequence;
            hdr.nodectl_v2.current_kbps = 0;
            hdr.nodectl_v2.granted_kbps = 0;
            hdr.nodectl_v2.source_port = 0;
            hdr.nodectl_v2.destination_port = 0;
            hdr.nodectl_v2.token = 0;
        }
    }
}

// Which port keeps a transmission from going faster? This one, where no more was granted for the time being, or where it asked for no more
// than this port had offered.
control HeldBackHere(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (!hdr.nodectl_v2.isValid() && meta.reserved_kbps <= hdr.nodectl.max_kbps) {
            meta.is_bottleneck = 1;
        }
        if ((hdr.nodectl.flags & FLAG_AGAIN) != 0 && meta.previous_is_bottleneck == 1) {
            meta.is_bottleneck = 1;
        }
    }
}

// No reduce of this switch's controller goes below Min (decision "Mins are kept").
control RaiseToMinimum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (meta.value < meta.min_kbps) {
            meta.value = meta.min_kbps;
            hdr.nodectl.max_kbps = meta.min_kbps;
        }
    }
}

#endif
