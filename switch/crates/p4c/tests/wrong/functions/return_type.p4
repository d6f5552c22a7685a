bit<8> f(in bit<16> x) { return x; }
