#include <core.p4>
parser p(packet_in pkt, in bit<8> x) {
    state start { verify(x, error.NoMatch); transition accept; }
}
