control c(inout bit<8> x, in bool b) {
    apply { x = x + b; }
}
