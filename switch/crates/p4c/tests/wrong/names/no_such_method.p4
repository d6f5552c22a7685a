header h_t { bit<8> a; }
control c(inout h_t h) { apply { h.setValdi(); } }
