const bit<8> a = 5;
const bit<4> b = a[3:];
