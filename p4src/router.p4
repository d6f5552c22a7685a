// The parts of an IPv4 router that are the same whatever its queues do (ecn.p4, codel.p4). A program that includes this has declared
// `metadata_t`.
#ifndef ROUTER_P4
#define ROUTER_P4

#include "ipv4.p4"

// The first four bytes of TCP and UDP: source and destination port.
header transport_t {
    bit<32> ports;
}

struct headers_t {
    ethernet_t  ethernet;
    ipv4_t      ipv4;
    transport_t transport;
}

parser RouterParser(packet_in packet,
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
        transition select(hdr.ipv4.header_length, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): parse_transport;
            (5, 0, PROTOCOL_UDP): parse_transport;
            default: accept;
        }
    }

    state parse_transport {
        packet.extract(hdr.transport);
        transition accept;
    }
}

control RouterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control RouterComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.transport);
    }
}

#endif
