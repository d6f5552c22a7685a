// Forwarding as an IPv4 router does, for programs that do more besides (ecn.p4, rcp.p4, the labs after the first).
#ifndef FORWARDING_P4
#define FORWARDING_P4

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<8>  PROTOCOL_UDP = 17;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  header_length;
    bit<8>  dscp_ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<1>  reserved;
    bit<1>  do_not_fragment;
    bit<1>  more_fragments;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header udp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
}

// Sets is_routed if the packet has a route; else it is dropped.
control Forwarding(inout ethernet_t ethernet,
                   inout ipv4_t ipv4,
                   inout standard_metadata_t standard_metadata,
                   out bit<1> is_routed) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(bit<9> port, bit<48> source_mac, bit<48> destination_mac) {
        standard_metadata.egress_spec = port;
        ethernet.source = source_mac;
        ethernet.destination = destination_mac;
        ipv4.ttl = ipv4.ttl - 1;
        is_routed = 1;
    }

    table ipv4_lpm {
        key = { ipv4.destination: lpm; }
        actions = { forward; drop; }
        const default_action = drop();
        size = 1024;
    }

    apply {
        is_routed = 0;
        if (ipv4.isValid() && ipv4.version == 4 && ipv4.header_length == 5
            && standard_metadata.checksum_error == 0 && ipv4.ttl > 1) {
            ipv4_lpm.apply();
        } else {
            drop();
        }
    }
}

#define IPV4_FIELDS(ipv4) { \
    ipv4.version, ipv4.header_length, ipv4.dscp_ecn, ipv4.total_length, ipv4.identification, ipv4.reserved, \
    ipv4.do_not_fragment, ipv4.more_fragments, ipv4.fragment_offset, ipv4.ttl, ipv4.protocol, ipv4.source, ipv4.destination }

#endif
