header h_t { bit<8> a; }
control c(inout h_t[4] hs) { apply { hs[4].a = 1; } }
