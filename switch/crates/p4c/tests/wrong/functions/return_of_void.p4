void f(in bit<8> x) { return x; }
