header h_t { bit<(3 - 4)> a; }
