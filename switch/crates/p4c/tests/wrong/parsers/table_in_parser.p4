parser p(out bit<8> x) {
    table t { actions = {} }
    state start { transition accept; }
}
