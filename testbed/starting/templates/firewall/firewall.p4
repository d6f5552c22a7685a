// A stateless access list between two ports: the rule with the highest priority decides, and counts what it has decided.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8>  PROTOCOL_TCP = 6;
const bit<8>  PROTOCOL_UDP = 17;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  header_words;
    bit<8>  traffic_class;
    bit<16> total_bytes;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  time_to_live;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

// The first fields of TCP and UDP.
header ports_t {
    bit<16> source;
    bit<16> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ports_t    ports;
}

struct metadata_t {}

parser FirewallParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TYPE_IPV4: ipv4;
            default:   accept;
        }
    }

    // Options and later fragments have no ports where they would be looked for.
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.header_words, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): ports;
            (5, 0, PROTOCOL_UDP): ports;
            default:              accept;
        }
    }

    state ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control FirewallVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control FirewallIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    // By the number that each rule has; 0: no rule matched.
    counter(256, CounterType.packets_and_bytes) decided;

    action permit(bit<8> rule) {
        decided.count((bit<32>) rule);
    }

    action deny(bit<8> rule) {
        decided.count((bit<32>) rule);
        mark_to_drop(standard);
    }

    table rules {
        key = {
            hdr.ipv4.source:       ternary;
            hdr.ipv4.destination:  ternary;
            hdr.ipv4.protocol:     ternary;
            hdr.ports.source:      range;
            hdr.ports.destination: range;
        }
        actions = { permit; deny; }
        size = 256;
        default_action = deny(0);
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    action drop() {
        mark_to_drop(standard);
    }

    table ways {
        key = { hdr.ipv4.destination: exact; }
        actions = { forward; drop; }
        default_action = drop();
    }

    apply {
        // Without ports there is nothing that a rule could say of them: such packets are refused, as are all but IPv4.
        if (!hdr.ports.isValid()) {
            drop();
        } else if (ways.apply().hit) {
            rules.apply();
        }
    }
}

control FirewallEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control FirewallCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control FirewallDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(FirewallParser(), FirewallVerify(), FirewallIngress(), FirewallEgress(), FirewallCompute(), FirewallDeparser()) main;
