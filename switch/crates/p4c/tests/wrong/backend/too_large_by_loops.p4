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
        for (bit<8> i0 in 8w0..8w1) {
            for (bit<8> i1 in 8w0..8w1) {
                for (bit<8> i2 in 8w0..8w1) {
                    for (bit<8> i3 in 8w0..8w1) {
                        for (bit<8> i4 in 8w0..8w1) {
                            for (bit<8> i5 in 8w0..8w1) {
                                for (bit<8> i6 in 8w0..8w1) {
                                    for (bit<8> i7 in 8w0..8w1) {
                                        for (bit<8> i8 in 8w0..8w1) {
                                            for (bit<8> i9 in 8w0..8w1) {
                                                for (bit<8> i10 in 8w0..8w1) {
                                                    for (bit<8> i11 in 8w0..8w1) {
                                                        for (bit<8> i12 in 8w0..8w1) {
                                                            for (bit<8> i13 in 8w0..8w1) {
                                                                for (bit<8> i14 in 8w0..8w1) {
                                                                    for (bit<8> i15 in 8w0..8w1) {
                                                                        for (bit<8> i16 in 8w0..8w1) {
                                                                            for (bit<8> i17 in 8w0..8w1) {
                                                                                for (bit<8> i18 in 8w0..8w1) {
                                                                                    for (bit<8> i19 in 8w0..8w1) {
                                                                                        for (bit<8> i20 in 8w0..8w1) {
                                                                                            for (bit<8> i21 in 8w0..8w1) {
                                                                                                for (bit<8> i22 in 8w0..8w1) {
                                                                                                    for (bit<8> i23 in 8w0..8w1) {
                                                                                                        m.m = m.m + 1;
                                                                                                    }
                                                                                                }
                                                                                            }
                                                                                        }
                                                                                    }
                                                                                }
                                                                            }
                                                                        }
                                                                    }
                                                                }
                                                            }
                                                        }
                                                    }
                                                }
                                            }
                                        }
                                    }
                                }
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
