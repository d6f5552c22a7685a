struct s_t { bit<8> a; }
header h_t { bit<8> a; }
control c(inout s_t s, inout h_t h) { apply { if (s == h) { s.a = 1; } } }
