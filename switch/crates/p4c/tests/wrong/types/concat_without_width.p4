control c(inout bit<16> x) { apply { x = x[7:0] ++ 1; } }
