header H { bit<8> f; }
struct S { bit<8> g; bit<8> h; }
void f() {
    S s = { g = 1, h = 2, g = 3 };
    H[2] t;
    t[4294967296].f = 1;
}
