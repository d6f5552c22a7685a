header h_t { bit<8> length; }
control c(inout h_t h) {
    apply { h.lenght = 1; }
}
