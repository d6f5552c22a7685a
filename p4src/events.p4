// Events on their way to the controller, and packet-outs on their way round.
#ifndef NODECTL_EVENTS_P4
#define NODECTL_EVENTS_P4

// The fields of an event that every variant has.
control PrependEvent(inout headers_t hdr, inout metadata_t meta) {
    apply {
        hdr.packet_in.setValid();
        hdr.packet_in.event = meta.event;
        hdr.packet_in.verdict = meta.verdict;
        hdr.packet_in.data_port = meta.data_port;
        hdr.packet_in.rate_kbps = meta.rate_kbps;
        hdr.packet_in.previous_rate_kbps = meta.previous_rate_kbps;
        hdr.packet_in.share_kbps = meta.share_kbps;
        hdr.packet_in.transmission_share_kbps = meta.transmission_share_kbps;
        hdr.packet_in.port_sum_kbps = meta.port_sum_kbps;
        hdr.packet_in.port_count = meta.port_count;
        hdr.packet_in.bottleneck_sum_kbps = meta.bottleneck_sum_kbps;
        hdr.packet_in.bottleneck_count = meta.bottleneck_count;
        hdr.packet_in.expected_arrivals_q8 = meta.expected_arrivals_q8;
        hdr.packet_in.slot = meta.slot;
        hdr.packet_in.is_bottleneck = meta.is_bottleneck;
        hdr.packet_in.reserved = 0;
        hdr.packet_in.content_id = meta.content_id;
        hdr.packet_in.destination_id = meta.destination_id;
        hdr.packet_in.subflow = meta.subflow;
        hdr.packet_in.sender_ip = meta.sender_ip;
        hdr.packet_in.receiver_ip = meta.receiver_ip;
        hdr.packet_in.last_seen_us = meta.last_seen_us;
    }
}

// The copy of a packet-out goes round again without the entry that has been handled.
control NextEntry(inout headers_t hdr, inout metadata_t meta) {
    apply {
        hdr.packet_out.count = hdr.packet_out.count - 1;
        hdr.entry.setInvalid();
        meta.is_continuation = 1;
        recirculate_preserving_field_list(KEEP_CONTINUATION);
    }
}

#endif
