@name(5) const bit<8> a = 5;
