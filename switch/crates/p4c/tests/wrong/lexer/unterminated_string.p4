@name("no end) const bit<8> a = 5;
