parser p(out bit<8> x) {
    state start { x = 1; transition ; }
}
