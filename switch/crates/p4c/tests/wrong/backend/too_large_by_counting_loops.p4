#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> x; }
struct H { b_t b; }
struct M { bit<8> m; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    apply {
        for (bit<16> i0 = 0; i0 < 100; i0 = i0 + 1) {
            for (bit<16> i1 = 0; i1 < 100; i1 = i1 + 1) {
                for (bit<16> i2 = 0; i2 < 100; i2 = i2 + 1) {
                    for (bit<16> i3 = 0; i3 < 100; i3 = i3 + 1) {
                        for (bit<16> i4 = 0; i4 < 100; i4 = i4 + 1) {
                            for (bit<16> i5 = 0; i5 < 100; i5 = i5 + 1) {
                                m.m = m.m + 1;
                            }
                        }
                    }
                }
            }
        }
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
