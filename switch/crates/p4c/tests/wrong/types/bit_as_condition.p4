control c(inout bit<1> flag) {
    apply { if (flag) { flag = 0; } }
}
