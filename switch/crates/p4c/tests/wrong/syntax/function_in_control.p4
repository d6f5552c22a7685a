control c(inout bit<8> x) {
    bit<8> f(in bit<8> y) { return y; }
    apply { x = f(x); }
}
