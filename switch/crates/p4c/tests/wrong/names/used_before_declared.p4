const bit<8> a = b;
const bit<8> b = 5;
