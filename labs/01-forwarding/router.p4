// Lab 1: a switch that forwards IPv4. The missing parts are marked "Your part".
#include <core.p4>
#include <v1model.p4>

const bit<16> ETHERTYPE_IPV4 = 0x0800;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  header_length;      // in words of 4 bytes: 5 without options
    bit<8>  dscp_ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
}

struct metadata_t {
}

parser RouterParser(packet_in packet,
                    out headers_t hdr,
                    inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        // Your part 1: if an IPv4 header follows, extract that too.
        transition accept;
    }
}

control RouterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        // Your part 5: is the checksum that came right? (verify_checksum sets standard_metadata.checksum_error if not.)
    }
}

control RouterIngress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    // The controller calls it with the port of a route, that port's own address, and the next hop's.
    action forward(bit<9> port, bit<48> source_mac, bit<48> destination_mac) {
        // Your part 2: send the packet by this port, from and to these Ethernet addresses, with a TTL one lower.
        mark_to_drop(standard_metadata);
    }

    table ipv4_lpm {
        key = { hdr.ipv4.destination: exact; }      // Your part 3: a route is a prefix, not an address.
        actions = { forward; drop; }
        const default_action = drop();
        size = 1024;
    }

    apply {
        // Your part 4: which packets may be looked up? All others are dropped.
        ipv4_lpm.apply();
    }
}

control RouterEgress(inout headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply { }
}

control RouterComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        // Your part 6: the TTL has changed, so the checksum must.
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(RouterParser(),
         RouterVerifyChecksum(),
         RouterIngress(),
         RouterEgress(),
         RouterComputeChecksum(),
         RouterDeparser()) main;
