control c(inout bit<8> small, in bit<16> large) {
    apply { small = large; }
}
