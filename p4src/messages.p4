// Messages as they pass: well formed or not, what is to be done about them, and their UDP checksum.
#ifndef NODECTL_MESSAGES_P4
#define NODECTL_MESSAGES_P4

#include "headers.p4"

// The UDP checksum the message should have. 0 is sent as 0xFFFF, since 0 means "none" (RFC 768).
control UdpChecksum(inout headers_t hdr, out bit<16> checksum) {
    apply {
        hash(checksum, HashAlgorithm.csum16, 16w0,
             { hdr.ipv4.source, hdr.ipv4.destination, 8w0, hdr.ipv4.protocol, hdr.udp.length,
               hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length,
               hdr.nodectl.type, hdr.nodectl.version, hdr.nodectl.flags, hdr.nodectl.content_id,
               hdr.nodectl.destination_id, hdr.nodectl.subflow,
               hdr.nodectl.max_kbps, hdr.nodectl.min_kbps, hdr.nodectl.rtt_us },
             32w0x10000);
#ifdef NODECTL_DEPLOYABLE
        if (hdr.nodectl_v2.isValid()) {
            hash(checksum, HashAlgorithm.csum16, 16w0,
                 { hdr.ipv4.source, hdr.ipv4.destination, 8w0, hdr.ipv4.protocol, hdr.udp.length,
                   hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length,
                   hdr.nodectl.type, hdr.nodectl.version, hdr.nodectl.flags, hdr.nodectl.content_id,
                   hdr.nodectl.destination_id, hdr.nodectl.subflow,
                   hdr.nodectl.max_kbps, hdr.nodectl.min_kbps, hdr.nodectl.rtt_us,
                   hdr.nodectl_v2.sequence, hdr.nodectl_v2.current_kbps, hdr.nodectl_v2.granted_kbps,
                   hdr.nodectl_v2.source_port, hdr.nodectl_v2.destination_port, hdr.nodectl_v2.token },
                 32w0x10000);
        }
#endif
        if (checksum == 0) {
            checksum = 0xFFFF;
        }
    }
}

// Sets has_error and error_reason if the message is malformed; the first reason counts.
control CheckMessage(inout headers_t hdr, inout metadata_t meta) {
    UdpChecksum() udp_checksum;
    bit<16> right_checksum;

    apply {
        meta.has_error = 1;
        if (!hdr.nodectl.isValid()) {
            meta.error_reason = ERROR_LENGTH;
        } else {
            udp_checksum.apply(hdr, right_checksum);
            if (hdr.udp.checksum != right_checksum && hdr.udp.checksum != 0) {
                meta.error_reason = ERROR_CHECKSUM;
#ifdef NODECTL_DEPLOYABLE
            } else if ((!hdr.nodectl_v2.isValid() && hdr.nodectl.version != NODECTL_VERSION)
                       || (hdr.nodectl_v2.isValid() && hdr.nodectl.version != NODECTL_VERSION_2)) {
#else
            } else if (hdr.nodectl.version != NODECTL_VERSION) {
#endif
                meta.error_reason = ERROR_VERSION;
            } else if (meta.operation == DO_NOTHING) {
                meta.error_reason = ERROR_TYPE;
#ifdef NODECTL_DEPLOYABLE
            } else if ((!hdr.nodectl_v2.isValid() && (hdr.nodectl.flags & UNKNOWN_FLAGS) != 0)
                       || (hdr.nodectl.flags & UNKNOWN_FLAGS_2) != 0) {
#else
            } else if ((hdr.nodectl.flags & UNKNOWN_FLAGS) != 0) {
#endif
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

// Which operation a message asks for, and the key of the record it is about. Requests and terminations go the way of the data;
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
