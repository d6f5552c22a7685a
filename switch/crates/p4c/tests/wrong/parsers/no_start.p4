parser p(out bit<8> x) {
    state begin { x = 1; transition accept; }
}
