header h_t { bit<8> a; bit<4> b; bit<4> a; }
