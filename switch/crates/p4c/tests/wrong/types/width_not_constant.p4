control c(in bit<8> x) { apply { bit<x> y; } }
