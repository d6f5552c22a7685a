const bit<8> a = 99999999999w5;
