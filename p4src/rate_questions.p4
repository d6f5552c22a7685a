// The parts of a router that senders ask for their rate every round trip, without its egress: there it finds the rate.
//
// A request (message.p4) is the congestion header of RCP and XCP: max_kbps is the rate that the path allows so far, rtt_us the sender's RTT.
#ifndef RATE_QUESTIONS_P4
#define RATE_QUESTIONS_P4

#include "forwarding.p4"
#include "managed_port.p4"
#include "message.p4"
#include "ports.p4"
#include "queue.p4"

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    udp_t      udp;
    nodectl_t  request;
}

struct metadata_t {
    traffic_manager_t traffic_manager;
    bit<64> arrived_bytes;      // at the queue that the packet waits in, up to and with itself
}

#include "ipv4_checksum.p4"

parser QuestionParser(packet_in packet,
                 out headers_t hdr,
                 inout metadata_t meta,
                 inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.header_length, hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_UDP): parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length, hdr.ipv4.total_length) {
            (NODECTL_PORT, NODECTL_PORT, NODECTL_UDP_LENGTH, NODECTL_IPV4_LENGTH): parse_type;
            default: accept;
        }
    }

    state parse_type {
        transition select(packet.lookahead<bit<24>>()) {
            TYPE_REQUEST ++ NODECTL_VERSION: parse_request;
            default: accept;
        }
    }

    state parse_request {
        packet.extract(hdr.request);
        transition accept;
    }
}

// In front of the queue: counts the bytes that come.
control CountArrivals(inout headers_t hdr,
                   inout metadata_t meta,
                   inout standard_metadata_t standard_metadata) {
    register<bit<64>>(PORTS) port_bytes;

    Forwarding() forwarding;
    EnterQueue() enter_queue;

    bit<1> is_routed;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
        if (is_routed == 1) {
            port_bytes.read(meta.arrived_bytes, (bit<32>) standard_metadata.egress_spec);
            meta.arrived_bytes = meta.arrived_bytes + (bit<64>) standard_metadata.packet_length;
            port_bytes.write((bit<32>) standard_metadata.egress_spec, meta.arrived_bytes);
            enter_queue.apply(hdr.ipv4, 0, meta.traffic_manager, standard_metadata);
        }
    }
}

control UpdateQuestion(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
        update_checksum(hdr.request.isValid(),
            { hdr.ipv4.source, hdr.ipv4.destination, 8w0, hdr.ipv4.protocol, hdr.udp.length,
              hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length,
              hdr.request.type, hdr.request.version, hdr.request.flags, hdr.request.content_id, hdr.request.destination_id,
              hdr.request.subflow, hdr.request.max_kbps, hdr.request.min_kbps, hdr.request.rtt_us },
            hdr.udp.checksum, HashAlgorithm.csum16);
    }
}

control QuestionDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.request);
    }
}

#endif
