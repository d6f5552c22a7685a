#define ADD(x, y) ((x) + (y))
const bit<8> a = ADD(1);
