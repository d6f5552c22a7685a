control c(inout bit<8> x, in bit<16> y, in bool b) { apply { x = b ? x : y; } }
