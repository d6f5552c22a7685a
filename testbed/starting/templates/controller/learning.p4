// An Ethernet switch that learns: it tells its controller, by digests, where it has seen an address, and floods packets to unknown addresses.
#include <core.p4>
#include <v1model.p4>

// The multicast group of all ports. A packet never leaves by the port that it came in by.
const bit<16> ALL_PORTS = 1;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
    bit<9> source_port; // behind which the source is known to be; 0: nowhere
}

// The digest that the controller is told.
struct seen_t {
    bit<48> address;
    bit<9>  port;
}

parser LearningParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control LearningVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control LearningIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    // 0: packets that are sent on by an entry, 1: packets that are flooded.
    counter(2, CounterType.packets) sent;

    action known_at(bit<9> port) {
        meta.source_port = port;
    }

    table sources {
        key = { hdr.ethernet.source: exact; }
        actions = { known_at; NoAction; }
        size = 4096;
        default_action = NoAction();
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
        sent.count(0);
    }

    action flood() {
        standard.mcast_grp = ALL_PORTS;
        sent.count(1);
    }

    table destinations {
        key = { hdr.ethernet.destination: exact; }
        actions = { forward; flood; }
        size = 4096;
        default_action = flood();
    }

    apply {
        sources.apply();
        if (meta.source_port != standard.ingress_port) {
            digest<seen_t>(1, { hdr.ethernet.source, standard.ingress_port });
        }
        destinations.apply();
    }
}

control LearningEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.egress_port == standard.ingress_port) {
            mark_to_drop(standard);
        }
    }
}

control LearningCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control LearningDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(LearningParser(), LearningVerify(), LearningIngress(), LearningEgress(), LearningCompute(), LearningDeparser()) main;
