control c(inout bit<8> x) {
    action a() { x = 1; }
    apply { if (a().hit) { x = 2; } }
}
