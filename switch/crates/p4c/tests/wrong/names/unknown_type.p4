header h_t { byte_t a; }
