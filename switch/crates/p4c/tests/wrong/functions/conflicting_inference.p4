bool same<T>(in T x, in T y) { return x == y; }
control c(inout bit<8> x, in bit<16> y) { apply { if (same(x, y)) { x = 1; } } }
