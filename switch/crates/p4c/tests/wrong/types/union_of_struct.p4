struct s_t { bit<8> a; }
header_union u_t { s_t s; }
