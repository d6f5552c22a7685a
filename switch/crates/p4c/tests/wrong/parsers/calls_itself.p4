#include <core.p4>
parser p(packet_in pkt) {
    p() inner;
    state start { inner.apply(pkt); transition accept; }
}
