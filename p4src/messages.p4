// Messages as they pass: whether they are well formed, and the operation that each asks for.
#ifndef NODECTL_MESSAGES_P4
#define NODECTL_MESSAGES_P4

// Sets has_error and error_reason if the message is malformed; the first reason counts.
control CheckMessage(inout headers_t hdr, inout metadata_t meta) {
    UdpChecksum() udp_checksum;
    KnowForm() know_form;
    bit<16> right_checksum;
    bit<1> has_known_version;
    bit<1> has_known_flags;

    apply {
        meta.has_error = 1;
        if (!hdr.nodectl.isValid()) {
            meta.error_reason = ERROR_LENGTH;
        } else {
            udp_checksum.apply(hdr, right_checksum);
            know_form.apply(hdr, has_known_version, has_known_flags);
            if (hdr.udp.checksum != right_checksum && hdr.udp.checksum != 0) {
                meta.error_reason = ERROR_CHECKSUM;
            } else if (has_known_version == 0) {
                meta.error_reason = ERROR_VERSION;
            } else if (meta.operation == DO_NOTHING) {
                meta.error_reason = ERROR_TYPE;
            } else if (has_known_flags == 0) {
                meta.error_reason = ERROR_FLAGS;
            } else if (meta.operation == DO_REQUEST || meta.operation == DO_SUCCESS || meta.operation == DO_FAILURE) {
                if (hdr.nodectl.max_kbps == 0) {
                    meta.error_reason = ERROR_MAX_ZERO;
                } else if (meta.operation == DO_REQUEST && hdr.nodectl.min_kbps > hdr.nodectl.max_kbps) {
                    meta.error_reason = ERROR_MIN_ABOVE_MAX;
                } else if (meta.operation == DO_REQUEST
                           && (hdr.nodectl.rtt_us == 0 || hdr.nodectl.rtt_us > MAX_RTT_US)) {
                    meta.error_reason = ERROR_RTT;
                } else {
                    meta.has_error = 0;
                }
            } else {
                if (hdr.nodectl.min_kbps != 0 || hdr.nodectl.rtt_us != 0) {
                    meta.error_reason = ERROR_RESERVED;
                } else if (meta.operation != DO_TERMINATE && hdr.nodectl.max_kbps == 0) {
                    meta.error_reason = ERROR_SPEED_ZERO;
                } else {
                    meta.has_error = 0;
                }
            }
        }
        if (meta.has_error == 1) {
            meta.operation = DO_NOTHING;
        }
    }
}

// Finds the operation that a message asks for, and the key of the record it is about. Requests and terminations go the way of the data;
// the others come back from where the data goes.
control ClassifyMessage(inout headers_t hdr, inout metadata_t meta, in bit<9> ingress_port, in bit<9> egress_port) {
    bit<1> is_with_data;

    apply {
        is_with_data = 0;
        if (hdr.nodectl.type == TYPE_REQUEST) {
            meta.operation = DO_REQUEST;
            is_with_data = 1;
        } else if (hdr.nodectl.type == TYPE_TERMINATE) {
            meta.operation = DO_TERMINATE;
            is_with_data = 1;
        } else if (hdr.nodectl.type == TYPE_SUCCESS) {
            meta.operation = DO_SUCCESS;
        } else if (hdr.nodectl.type == TYPE_FAILURE) {
            meta.operation = DO_FAILURE;
        } else if (hdr.nodectl.type == TYPE_REDUCE) {
            meta.operation = DO_PASSING_REDUCE;
        } else if (hdr.nodectl.type == TYPE_INCREASE) {
            meta.operation = DO_PASSING_INCREASE;
        }

        meta.content_id = hdr.nodectl.content_id;
        meta.destination_id = hdr.nodectl.destination_id;
        meta.subflow = hdr.nodectl.subflow;
        if (is_with_data == 1) {
            meta.data_port = (bit<16>) egress_port;
            meta.sender_ip = hdr.ipv4.source;
            meta.receiver_ip = hdr.ipv4.destination;
        } else {
            meta.data_port = (bit<16>) ingress_port;
            meta.sender_ip = hdr.ipv4.destination;
            meta.receiver_ip = hdr.ipv4.source;
        }
    }
}

// Finds the operation of a packet that is a message, and not an entry of the controller's, or the error in it.
control TakeMessage(inout headers_t hdr, inout metadata_t meta, in bit<9> ingress_port, in bit<9> egress_port) {
    ClassifyMessage() classify_message;
    CheckMessage() check_message;

    apply {
        if (meta.is_entry == 0 && meta.is_routed == 1 && hdr.udp.isValid()
            && hdr.udp.source_port == NODECTL_PORT && hdr.udp.destination_port == NODECTL_PORT) {
            classify_message.apply(hdr, meta, ingress_port, egress_port);
            check_message.apply(hdr, meta);
        }
    }
}

// Is there a record that a well-formed message can be about? If not, or if the port takes no part, nothing is to be done.
control CheckRecord(inout metadata_t meta) {
    apply {
        if (meta.is_managed == 0) {
            meta.operation = DO_NOTHING;
        } else if (meta.is_collision == 1) {
            meta.has_error = 1;
            meta.error_reason = ERROR_ID_COLLISION;
            meta.operation = DO_NOTHING;
        } else if (meta.is_known == 0 && meta.operation != DO_REQUEST) {
            meta.has_error = 1;
            meta.error_reason = ERROR_UNKNOWN_ID;
            meta.operation = DO_NOTHING;
        }
    }
}

#endif
