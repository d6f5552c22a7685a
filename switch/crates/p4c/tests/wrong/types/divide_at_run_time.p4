control c(inout bit<8> x, in bit<8> y) { apply { x = x / y; } }
