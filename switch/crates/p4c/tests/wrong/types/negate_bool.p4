control c(inout bit<8> x, in bool b) { apply { if (-b) { x = 1; } } }
