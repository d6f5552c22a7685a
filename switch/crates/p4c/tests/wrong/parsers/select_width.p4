parser p(out bit<8> x, in bit<16> y, in bit<8> z) {
    state start { transition select(y, z) { 1: accept; default: reject; } }
}
