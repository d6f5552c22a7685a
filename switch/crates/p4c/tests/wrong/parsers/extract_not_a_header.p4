#include <core.p4>
struct s_t { bit<8> a; }
parser p(packet_in pkt, out s_t s) {
    state start { pkt.extract(s); transition accept; }
}
