header h_t { bit<8> a; }
control c(inout h_t h) { apply { switch (h) { default: { h.a = 1; } } } }
