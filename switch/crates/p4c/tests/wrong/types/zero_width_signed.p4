header h_t { int<0> a; }
