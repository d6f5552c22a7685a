#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> x; }
bit<8> f0(in bit<8> v) { return v; }
bit<8> f1(in bit<8> v) { return f0(v) + f0(v + 1); }
bit<8> f2(in bit<8> v) { return f1(v) + f1(v + 1); }
bit<8> f3(in bit<8> v) { return f2(v) + f2(v + 1); }
bit<8> f4(in bit<8> v) { return f3(v) + f3(v + 1); }
bit<8> f5(in bit<8> v) { return f4(v) + f4(v + 1); }
bit<8> f6(in bit<8> v) { return f5(v) + f5(v + 1); }
bit<8> f7(in bit<8> v) { return f6(v) + f6(v + 1); }
bit<8> f8(in bit<8> v) { return f7(v) + f7(v + 1); }
bit<8> f9(in bit<8> v) { return f8(v) + f8(v + 1); }
bit<8> f10(in bit<8> v) { return f9(v) + f9(v + 1); }
bit<8> f11(in bit<8> v) { return f10(v) + f10(v + 1); }
bit<8> f12(in bit<8> v) { return f11(v) + f11(v + 1); }
bit<8> f13(in bit<8> v) { return f12(v) + f12(v + 1); }
bit<8> f14(in bit<8> v) { return f13(v) + f13(v + 1); }
bit<8> f15(in bit<8> v) { return f14(v) + f14(v + 1); }
bit<8> f16(in bit<8> v) { return f15(v) + f15(v + 1); }
bit<8> f17(in bit<8> v) { return f16(v) + f16(v + 1); }
bit<8> f18(in bit<8> v) { return f17(v) + f17(v + 1); }
bit<8> f19(in bit<8> v) { return f18(v) + f18(v + 1); }
bit<8> f20(in bit<8> v) { return f19(v) + f19(v + 1); }
bit<8> f21(in bit<8> v) { return f20(v) + f20(v + 1); }
bit<8> f22(in bit<8> v) { return f21(v) + f21(v + 1); }
bit<8> f23(in bit<8> v) { return f22(v) + f22(v + 1); }
bit<8> f24(in bit<8> v) { return f23(v) + f23(v + 1); }
struct H { b_t b; }
struct M { bit<8> m; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    apply {
        m.m = f24(m.m);
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
