const bit<8> a = 5;
) const bit<8> b = 6;
