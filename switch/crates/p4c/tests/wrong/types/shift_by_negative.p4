control c(inout bit<8> x) { apply { x = x >> -1; } }
