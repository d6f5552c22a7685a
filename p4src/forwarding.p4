// Forwarding as an IPv4 router does, for programs that do more besides (ecn.p4, rcp.p4, the labs after the first).
#ifndef FORWARDING_P4
#define FORWARDING_P4

#include "ipv4.p4"

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
        key = { ipv4.destination: lpm @name("hdr.ipv4.destination"); }
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

#endif
