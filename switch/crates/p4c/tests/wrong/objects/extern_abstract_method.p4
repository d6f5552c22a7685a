extern virt { virt(); abstract bit<8> f(); }
control c(inout bit<8> x) {
    virt() v;
    apply { x = v.f(); }
}
