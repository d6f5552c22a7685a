bit<8> counter;
