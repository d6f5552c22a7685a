control c(inout int<16> x, in bit<8> y) {
    apply { x = (int<16>)y; }
}
