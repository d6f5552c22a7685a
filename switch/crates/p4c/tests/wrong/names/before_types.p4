bit<8> f() { }
const bit<8> a = true;
const nowhere b = 1;
