const bit<8> width = 5;
header h_t { width a; }
