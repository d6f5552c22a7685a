const bit<8> a = 5;
/* this never ends
const bit<8> b = 6;
