control c(inout bit<8> x) {
    action forward() {}
    table t {
        actions = { forwrd; }
        default_action = forward();
    }
    apply { t.apply(); }
}
