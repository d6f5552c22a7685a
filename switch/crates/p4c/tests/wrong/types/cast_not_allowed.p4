control c(inout bit<8> x, in bool b) {
    apply { x = (bit<8>)b; }
}
