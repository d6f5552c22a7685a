const bit<8> main = 5;
