header h_t { bit<8> a; }
control c(inout h_t[2] hs) { apply { hs.next.a = 1; } }
