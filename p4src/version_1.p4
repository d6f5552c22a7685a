// The forms of messages and entries that a switch of version 1 knows.
#ifndef NODECTL_VERSION_P4
#define NODECTL_VERSION_P4

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
        if (checksum == 0) {
            checksum = 0xFFFF;
        }
    }
}

// Does the message have a known version, and known flags?
control KnowForm(inout headers_t hdr, out bit<1> has_known_version, out bit<1> has_known_flags) {
    apply {
        has_known_version = 0;
        if (hdr.nodectl.version == NODECTL_VERSION) {
            has_known_version = 1;
        }
        has_known_flags = 0;
        if ((hdr.nodectl.flags & UNKNOWN_FLAGS) == 0) {
            has_known_flags = 1;
        }
    }
}

// There are no entries besides those that all variants have.
control TakeOtherEntry(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

// A packet that goes to the controller instead of a message has no headers of one.
control AnswerEntry(inout headers_t hdr) {
    apply {
        hdr.ethernet.setInvalid();
        hdr.ipv4.setInvalid();
        hdr.udp.setInvalid();
        hdr.nodectl.setInvalid();
    }
}

#endif
