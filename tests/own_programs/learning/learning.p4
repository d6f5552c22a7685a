// A learning switch: it tells a controller who is behind which port, by digests.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> destination; bit<48> source; bit<16> kind; }
struct learned_t { bit<48> source; bit<16> port; }
struct headers_t { ethernet_t ethernet; }
struct metadata_t { }

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start { packet.extract(hdr.ethernet); transition accept; }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action learn() { digest<learned_t>(1, { hdr.ethernet.source, (bit<16>) standard.ingress_port }); }
    action forward(bit<9> port) { standard.egress_spec = port; }
    action flood(bit<16> group) { standard.mcast_grp = group; }
    table known { key = { hdr.ethernet.source: exact; } actions = { learn; NoAction; } default_action = learn(); }
    table destinations { key = { hdr.ethernet.destination: exact; } actions = { forward; NoAction; } default_action = NoAction(); }
    table others { key = { standard.ingress_port: exact; } actions = { flood; NoAction; } default_action = NoAction(); }
    apply {
        known.apply();
        if (!destinations.apply().hit) { others.apply(); }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply { } }
control Checksums(inout headers_t hdr, inout metadata_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(Parse(), Checksums(), MyIngress(), MyEgress(), Checksums(), Deparse()) main;
