control c(inout bit<8> x, in bool b) { apply { if (b < true) { x = 1; } } }
