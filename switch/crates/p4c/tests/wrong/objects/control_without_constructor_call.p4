control inner(inout bit<8> x) { apply {} }
control c(inout bit<8> x) {
    inner i;
    apply { i.apply(x); }
}
