@foo[1, a = 2] const bit<8> a = 5;
