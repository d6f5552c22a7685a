const bit<8> size = 5;
const bit<8> size = 6;
