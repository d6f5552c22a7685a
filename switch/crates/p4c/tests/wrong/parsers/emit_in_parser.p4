#include <core.p4>
header h_t { bit<8> a; }
parser p(packet_in pkt, out h_t h) {
    state start { pkt.emit(h); transition accept; }
}
