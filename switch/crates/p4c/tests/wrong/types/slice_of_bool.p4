control c(inout bit<1> x, in bool b) { apply { x = b[0:0]; } }
