control c(inout bit<8> x) {
    action a() {}
    table t { actions = { a; } }
    apply { t.apply(); }
}
