void f(in bit<8> x) { x = 1; }
