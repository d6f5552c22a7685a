#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> x; }
parser Q0(packet_in p, inout b_t b) { state start { p.extract(b); transition accept; } }
parser Q1(packet_in p, inout b_t b) { Q0() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q2(packet_in p, inout b_t b) { Q1() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q3(packet_in p, inout b_t b) { Q2() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q4(packet_in p, inout b_t b) { Q3() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q5(packet_in p, inout b_t b) { Q4() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q6(packet_in p, inout b_t b) { Q5() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q7(packet_in p, inout b_t b) { Q6() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q8(packet_in p, inout b_t b) { Q7() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q9(packet_in p, inout b_t b) { Q8() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q10(packet_in p, inout b_t b) { Q9() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q11(packet_in p, inout b_t b) { Q10() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q12(packet_in p, inout b_t b) { Q11() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q13(packet_in p, inout b_t b) { Q12() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q14(packet_in p, inout b_t b) { Q13() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q15(packet_in p, inout b_t b) { Q14() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q16(packet_in p, inout b_t b) { Q15() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q17(packet_in p, inout b_t b) { Q16() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q18(packet_in p, inout b_t b) { Q17() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q19(packet_in p, inout b_t b) { Q18() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q20(packet_in p, inout b_t b) { Q19() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q21(packet_in p, inout b_t b) { Q20() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q22(packet_in p, inout b_t b) { Q21() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q23(packet_in p, inout b_t b) { Q22() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
parser Q24(packet_in p, inout b_t b) { Q23() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }
struct H { b_t b; }
struct M { bit<8> m; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    Q24() q;
    state start { q.apply(p, h.b); transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    apply {
        
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
