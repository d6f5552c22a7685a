#include <core.p4>
parser p(packet_in pkt) { state start { transition accept; } }
control c(packet_in pkt) {
    p() inner;
    apply { inner.apply(pkt); }
}
