// A cache of flows: a packet without an entry goes to the controller, whose entries end when nobody uses them.
#include <core.p4>
#include <v1model.p4>

const bit<9> CPU = 255;

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> padding;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    bit<7> padding;
}

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_t {
    bit<96>  unused;
    bit<32>  source;
    bit<32>  destination;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    ethernet_t   ethernet;
    ipv4_t       ipv4;
}

struct metadata_t {}

parser CacheParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        transition select(standard.ingress_port) {
            CPU: from_controller;
            default: ethernet;
        }
    }

    state from_controller {
        packet.extract(hdr.packet_out);
        transition ethernet;
    }

    state ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control CacheVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control CacheIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    action ask() {
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = standard.ingress_port;
        standard.egress_spec = CPU;
    }

    table flows {
        key = { hdr.ipv4.source: exact; hdr.ipv4.destination: exact; }
        actions = { forward; ask; }
        support_timeout = true;
        default_action = ask();
    }

    apply {
        if (hdr.packet_out.isValid()) {
            standard.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else if (hdr.ipv4.isValid()) {
            flows.apply();
        } else {
            mark_to_drop(standard);
        }
    }
}

control CacheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control CacheCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control CacheDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(CacheParser(), CacheVerify(), CacheIngress(), CacheEgress(), CacheCompute(), CacheDeparser()) main;
