bit<8> f(in bit<8> x) { return x; }
control c(inout bit<8> x) { apply { x = f(x, x); } }
