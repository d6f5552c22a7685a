control c(inout bit<8> x) {
    apply { tuple<bit<8>, bit<4>> t = { 1, 2 }; x = t[2]; }
}
