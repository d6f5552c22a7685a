control inner(inout bit<8> x)(bit<8> limit) { apply { x = limit; } }
control c(inout bit<8> x) {
    inner() i;
    apply { i.apply(x); }
}
