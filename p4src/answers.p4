// The last steps for a message or an entry that has been handled: it goes back to its sender or on, and the controller hears of it.
#ifndef NODECTL_ANSWERS_P4
#define NODECTL_ANSWERS_P4

// Sends a request back to its sender, as a failure. received_from and received_at: the addresses that its frame came with.
control TurnRound(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata,
                  in bit<48> received_from, in bit<48> received_at) {
    apply {
        standard_metadata.egress_spec = standard_metadata.ingress_port;
        hdr.ethernet.source = received_at;
        hdr.ethernet.destination = received_from;
        hdr.ipv4.ttl = NEW_MESSAGE_TTL;
        hdr.ipv4.source = meta.receiver_ip;
        hdr.ipv4.destination = meta.sender_ip;
        hdr.nodectl.type = TYPE_FAILURE;
        meta.is_changed = 1;
    }
}

// A message with a field that has been changed gets a new checksum.
control RenewChecksum(inout headers_t hdr, inout metadata_t meta) {
    UdpChecksum() udp_checksum;
    bit<16> new_checksum;

    apply {
        if (meta.is_changed == 1) {
            udp_checksum.apply(hdr, new_checksum);
            hdr.udp.checksum = new_checksum;
        }
    }
}

// Copies a message that caused an event to the controller. A packet-out is copied too: its copy goes round for the next entry. The event
// of an entry goes to the controller in the packet itself, instead of a message to a sender.
control TellController(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    AnswerEntry() answer_entry;
    bit<1> is_copied;

    apply {
        is_copied = 0;
        if (meta.is_entry == 1) {
            if (meta.event != EVENT_NONE) {
                standard_metadata.egress_spec = CPU_PORT;
                answer_entry.apply(hdr);
            }
            if (meta.entries_left != 0) {
                is_copied = 1;
            }
        } else if (meta.event != EVENT_NONE) {
            is_copied = 1;
        }
        if (is_copied == 1) {
            clone_preserving_field_list(CloneType.I2E, CLONE_SESSION, KEEP_EVENT);
        }
    }
}

#endif
