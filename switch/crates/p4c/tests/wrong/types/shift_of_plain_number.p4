control c(inout bit<8> x) { apply { x = (bit<8>)(1 << x); } }
