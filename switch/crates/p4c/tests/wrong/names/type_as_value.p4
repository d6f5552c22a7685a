header h_t { bit<8> a; }
const bit<8> a = h_t;
