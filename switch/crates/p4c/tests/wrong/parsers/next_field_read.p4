#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> f; }
struct headers_t { h_t[2] s; h_t t; }
struct meta_t { }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    state start {
        hdr.s.next = { 1 };
        hdr.s.next.f = hdr.s.next.f + 1;
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(P(), V(), I(), I(), V(), D()) main;
