header a_t { bit<8> a; }
header b_t { a_t a; }
