header h_t { varbit<8> a; varbit<16> b; }
