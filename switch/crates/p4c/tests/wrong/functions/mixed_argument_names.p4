bit<8> f(in bit<8> x, in bit<8> y) { return x; }
control c(inout bit<8> x) { apply { x = f(x, y = x); } }
