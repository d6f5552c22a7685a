struct S { bit<8> f; S inner; }
