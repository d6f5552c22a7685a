control c(inout bit<8> x) { apply { int y = 5; x = (bit<8>)y; } }
