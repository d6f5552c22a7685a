type struct S { bit<8> f; } T;
