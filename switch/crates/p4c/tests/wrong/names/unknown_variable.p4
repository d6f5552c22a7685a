control c(inout bit<8> counter) {
    apply { countr = 1; }
}
