control c(inout bit<8> x) {
    table t { key = { x: exact; } }
    apply { t.apply(); }
}
