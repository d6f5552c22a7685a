#if 1
const bit<8> a = 5;
