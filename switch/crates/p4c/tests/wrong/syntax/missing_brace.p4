control c(inout bit<8> x) {
    apply {
        x = 1;

control d(inout bit<8> x) {
    apply { x = 2; }
}
