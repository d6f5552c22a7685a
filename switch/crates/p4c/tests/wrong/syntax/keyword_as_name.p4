header table { bit<8> a; }
