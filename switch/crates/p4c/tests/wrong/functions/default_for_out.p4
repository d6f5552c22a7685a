extern void f(out bit<8> x = 5);
