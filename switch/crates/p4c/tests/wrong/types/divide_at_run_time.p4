bit<8> f(in bit<8> x) { return x; }
control c(inout bit<8> x, in bit<8> y) {
    bit<8> unused = y % x;
    bit<8> unused_too = x / f(y);
    action never_called() { x = x / y; }
    action called() { x = x % y; }
    apply {
        bit<8> used = y / x;
        unused = x / y;
        x = used / y;
        called();
    }
}
