#include <core.p4>
bit<8> three() { return 3; }
header h_t { bit<8> x; }
parser p(packet_in b, out h_t h) {
    state start {
        b.extract(h);
        transition select(h.x) {
            three(): accept;
            4 &&& three(): accept;
            default: reject;
        }
    }
}
