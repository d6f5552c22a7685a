/* Everything that comes in by port 1 leaves by port 2, and the other way round; the first byte counts the passages. */
#include <core.p4>
#include <v1model.p4>

header count_t {
    bit<8> passages;
}

struct headers_t {
    count_t count;
}

struct meta_t { }

parser the_parser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.count);
        transition accept;
    }
}

control no_checksum(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control the_ingress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.count.passages = hdr.count.passages + 1;
        standard.egress_spec = 3 - standard.ingress_port;
    }
}

control the_egress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { }
}

control the_deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.count);
    }
}

V1Switch(the_parser(), no_checksum(), the_ingress(), the_egress(), no_checksum(), the_deparser()) main;
