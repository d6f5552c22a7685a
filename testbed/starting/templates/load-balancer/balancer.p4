// Packets of a connection take one of several ways, which a hash of its addresses and ports chooses.
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

struct metadata_t {
    bit<16> group;       // of next hops; 0: the way is known
    bit<16> count;       // how many next hops the group has
    bit<16> choice;      // which of them, from 0
    bit<16> source_port; // 0 where a packet has none
    bit<16> destination_port;
}

parser BalancerParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TYPE_IPV4: ipv4;
            default:   accept;
        }
    }

    // All fragments of a packet have to go the same way, and only the first one has ports: so none is asked for them.
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.header_words, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 3w0 &&& 3w1, 0, PROTOCOL_TCP): ports;
            (5, 3w0 &&& 3w1, 0, PROTOCOL_UDP): ports;
            default:                           accept;
        }
    }

    state ports {
        packet.extract(hdr.ports);
        meta.source_port = hdr.ports.source;
        meta.destination_port = hdr.ports.destination;
        transition accept;
    }
}

control BalancerVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control BalancerIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    action balance(bit<16> group, bit<16> count) {
        meta.group = group;
        meta.count = count;
    }

    table destinations {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; balance; drop; }
        size = 1024;
        default_action = drop();
    }

    table next_hops {
        key = {
            meta.group:  exact;
            meta.choice: exact;
        }
        actions = { forward; drop; }
        size = 256;
        default_action = drop();
    }

    apply {
        if (!hdr.ipv4.isValid()) {
            drop();
        } else {
            destinations.apply();
            if (meta.group != 0) {
                // Not crc32: its last bit depends on the last bit of the ports alone, and Linux gives programs even ports.
                hash(meta.choice, HashAlgorithm.crc16, (bit<16>) 0,
                    { hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol, meta.source_port, meta.destination_port },
                    meta.count);
                next_hops.apply();
            }
        }
    }
}

control BalancerEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    // Packets that have left by each port: they show whether the ways are used alike.
    counter(512, CounterType.packets_and_bytes) sent;

    apply {
        sent.count((bit<32>) standard.egress_port);
    }
}

control BalancerCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control BalancerDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(BalancerParser(), BalancerVerify(), BalancerIngress(), BalancerEgress(), BalancerCompute(), BalancerDeparser()) main;
