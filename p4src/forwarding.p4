// Forwarding as an IPv4 router does, for programs that do more besides (ecn.p4, rcp.p4, the labs after the first).
#ifndef FORWARDING_P4
#define FORWARDING_P4

#include "ipv4.p4"
#include "equal_cost_ways.p4"

// Sets is_routed if the packet has a route; else it is dropped.
control Forwarding(inout ethernet_t ethernet,
                   inout ipv4_t ipv4,
                   inout standard_metadata_t standard_metadata,
                   out bit<1> is_routed) {
    ChooseWay() choose_way;
    bit<16> group;
    bit<32> seed;
    bit<8> shift;
    bit<16> ways;
    bit<16> way;

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

    // One of so many equally short ways, in a network that has them (topo/equal_cost_ways.py).
    action spread(bit<16> to_group, bit<32> with_seed, bit<8> with_shift, bit<16> of_ways) {
        group = to_group;
        seed = with_seed;
        shift = with_shift;
        ways = of_ways;
    }

    table ipv4_lpm {
        key = { ipv4.destination: lpm @name("hdr.ipv4.destination"); }
        actions = { forward; spread; drop; }
        const default_action = drop();
        size = 4096;
    }

    table equal_cost_ways {
        key = {
            group: exact;
            way: exact;
        }
        actions = { forward; drop; }
        const default_action = drop();
        size = 1024;
    }

    apply {
        is_routed = 0;
        group = 0;
        if (ipv4.isValid() && ipv4.version == 4 && ipv4.header_length == 5
            && standard_metadata.checksum_error == 0 && ipv4.ttl > 1) {
            ipv4_lpm.apply();
            if (group != 0) {
                choose_way.apply(ipv4, seed, shift, ways, way);
                equal_cost_ways.apply();
            }
        } else {
            drop();
        }
    }
}

#endif
