parser p(out bit<8> x) {
    state start { x = 1; transition next; }
    state next { transition accept; }
    state next { transition reject; }
}
