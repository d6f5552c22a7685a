void f(out bit<8> x) { x = 1; }
control c(in bit<8> y) { apply { f(y); } }
