const bit<8> a = 0x;
