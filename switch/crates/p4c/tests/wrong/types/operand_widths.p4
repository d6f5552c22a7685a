control c(inout bit<8> x, in bit<16> y) {
    apply { if (x + y == 0) { x = 1; } }
}
