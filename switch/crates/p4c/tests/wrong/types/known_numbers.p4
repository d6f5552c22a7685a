header H { bit<8> f; }
void f(in bit<8> n) {
    H[2] t;
    t[4294967296].f = 1;
    t.push_front(n);
    H[n] u;
    tuple<bit<8>> v = { 1 };
    bit<8> x = v[n];
    x = n[-1+:2];
    bit<(true + 1)> y;
}
