control c(inout bit<8> x) {
    table t { actions = {} }
    action a() { t.apply(); }
    apply { a(); }
}
