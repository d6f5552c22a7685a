parser p(out bit<8> x, in bit<16> y) {
    state start { transition select(y) { true: accept; default: reject; } }
}
