header h_t { bit<8> a; }
struct s_t { h_t[0] stack; }
