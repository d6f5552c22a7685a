// A packet-out's first entry, by which the controller asks for an operation.
#ifndef NODECTL_ENTRIES_P4
#define NODECTL_ENTRIES_P4

// Turns the entry into an operation, and for reduce and increase into the message that is to be sent to the sender.
control TakeEntry(inout headers_t hdr, inout metadata_t meta) {
    TakeOtherEntry() take_other_entry;

    action build_message() {
        hdr.ethernet.setValid();                    // addresses: table ipv4_lpm
        hdr.ethernet.ether_type = ETHERTYPE_IPV4;

        hdr.ipv4.setValid();
        hdr.ipv4.version = 4;
        hdr.ipv4.header_length = 5;
        hdr.ipv4.dscp_ecn = 0;
        hdr.ipv4.total_length = NODECTL_IPV4_LENGTH;
        hdr.ipv4.identification = 0;
        hdr.ipv4.reserved = 0;
        hdr.ipv4.do_not_fragment = 1;
        hdr.ipv4.more_fragments = 0;
        hdr.ipv4.fragment_offset = 0;
        hdr.ipv4.ttl = NEW_MESSAGE_TTL;
        hdr.ipv4.protocol = PROTOCOL_UDP;
        hdr.ipv4.source = hdr.entry.receiver_ip;
        hdr.ipv4.destination = hdr.entry.sender_ip;

        hdr.udp.setValid();
        hdr.udp.source_port = NODECTL_PORT;
        hdr.udp.destination_port = NODECTL_PORT;
        hdr.udp.length = NODECTL_UDP_LENGTH;

        hdr.nodectl.setValid();
        hdr.nodectl.type = hdr.entry.type;
        hdr.nodectl.version = NODECTL_VERSION;
        hdr.nodectl.flags = 0;
        hdr.nodectl.content_id = hdr.entry.content_id;
        hdr.nodectl.destination_id = hdr.entry.destination_id;
        hdr.nodectl.subflow = hdr.entry.subflow;
        hdr.nodectl.max_kbps = hdr.entry.value;
        hdr.nodectl.min_kbps = 0;
        hdr.nodectl.rtt_us = 0;

        meta.is_changed = 1;
    }

    apply {
        meta.is_entry = 1;
        meta.entries_left = hdr.packet_out.count - 1;
        meta.data_port = hdr.entry.data_port;
        meta.content_id = hdr.entry.content_id;
        meta.destination_id = hdr.entry.destination_id;
        meta.subflow = hdr.entry.subflow;
        meta.sender_ip = hdr.entry.sender_ip;
        meta.receiver_ip = hdr.entry.receiver_ip;
        meta.value = hdr.entry.value;

        if (hdr.entry.type == TYPE_REDUCE && hdr.entry.value != 0) {
            meta.operation = DO_OWN_REDUCE;
            build_message();
        } else if (hdr.entry.type == TYPE_INCREASE && hdr.entry.value != 0) {
            meta.operation = DO_OWN_INCREASE;
            build_message();
        } else if (hdr.entry.type == TYPE_TERMINATE) {
            meta.operation = DO_EXPIRE;
        } else if (hdr.entry.type == TYPE_READ_SLOT) {
            meta.operation = DO_READ_SLOT;
        } else if (hdr.entry.type == TYPE_READ_PORT) {
            meta.operation = DO_READ_PORT;
        } else {
            take_other_entry.apply(hdr, meta);
        }
        hdr.packet_out.setInvalid();
        hdr.entry.setInvalid();
    }
}

// The first entry of a packet-out. Only the controller sends these.
control TakePacketOut(inout headers_t hdr, inout metadata_t meta, in bit<9> ingress_port) {
    TakeEntry() take_entry;

    apply {
        if (hdr.packet_out.isValid()) {
            if (ingress_port == CPU_PORT || meta.is_continuation == 1) {
                if (hdr.entry.isValid() && hdr.packet_out.count != 0) {
                    take_entry.apply(hdr, meta);
                }
            } else {
                meta.has_error = 1;
                meta.error_reason = ERROR_FORGED_BATCH;
            }
        }
    }
}

// Sets event and verdict if the entry cannot be carried out.
control CheckEntry(inout metadata_t meta) {
    apply {
        if (meta.operation == DO_NOTHING) {
            if (meta.is_free_slot == 0) {
                meta.verdict = VERDICT_BAD_ENTRY;
            }
        } else if (meta.operation == DO_READ_SLOT) {
            if (meta.is_known == 0) {
                meta.verdict = VERDICT_BAD_ENTRY;
            }
        } else if (meta.operation == DO_READ_PORT) {
            if (meta.is_managed == 0) {
                meta.verdict = VERDICT_BAD_ENTRY;
            }
        } else if (meta.is_collision == 1) {
            meta.verdict = VERDICT_ADDRESS_MISMATCH;
        } else if (meta.is_known == 0) {
            meta.verdict = VERDICT_UNKNOWN_ID;
        } else if (meta.operation != DO_EXPIRE && meta.operation != DO_TAKE_BACK && meta.is_routed == 0) {
            meta.verdict = VERDICT_NO_ROUTE;
        }
        if (meta.verdict != 0) {
            meta.event = EVENT_UNANSWERED;
            meta.operation = DO_NOTHING;
            meta.slot = NO_SLOT;
        }
    }
}

// This switch's controller reduces (decision "who reduces sets the flag"). A record that is lower already stays, and the sender is told its rate.
control OwnReduce(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (meta.value < meta.previous_rate_kbps) {
            meta.new_rate_kbps = meta.value;
            meta.share_kbps = meta.value;
            meta.is_bottleneck = 1;
        } else {
            hdr.nodectl.max_kbps = meta.previous_rate_kbps;
        }
    }
}

// Removes a record that nobody has kept alive.
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

// Carries out an entry on the record, or the port, that it is about.
control CarryOutEntry(inout headers_t hdr, inout metadata_t meta) {
    OwnReduce() own_reduce;
    Expire() expire;

    apply {
        if (meta.operation == DO_OWN_REDUCE) {
            own_reduce.apply(hdr, meta);
        } else if (meta.operation == DO_EXPIRE) {
            expire.apply(meta);
        } else if (meta.operation == DO_READ_SLOT) {
            meta.event = EVENT_RECORD;
        } else if (meta.operation == DO_READ_PORT) {
            meta.event = EVENT_PORT_TOTALS;
        }
    }
}

#endif
