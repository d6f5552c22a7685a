// Forwards frames by their destination. The entries are those of one switch (network.py).
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {}

parser Parse(packet_in packet, out headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    state start {
        packet.extract(headers.ethernet);
        transition accept;
    }
}

control Forward(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action to_port(bit<9> port) {
        standard.egress_spec = port;
    }

    table by_destination {
        key = { headers.ethernet.destination: exact; }
        actions = { to_port; drop; }
        const default_action = drop();
        const entries = {
            ENTRIES
        }
    }

    apply {
        by_destination.apply();
    }
}

control Nothing(inout headers_t headers, inout metadata_t metadata) {
    apply {}
}

control NoEgress(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    apply {}
}

control Emit(packet_out packet, in headers_t headers) {
    apply {
        packet.emit(headers.ethernet);
    }
}

V1Switch(Parse(), Nothing(), Forward(), NoEgress(), Nothing(), Emit()) main;
