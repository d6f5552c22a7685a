control c(inout bit<8> x) { apply { x[3:0] = x[0:3]; } }
