control c(inout bit<8> x) { apply { x[7:0] = x[8:1]; } }
