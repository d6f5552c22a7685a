control c(inout bit<8> x) { apply { break; } }
