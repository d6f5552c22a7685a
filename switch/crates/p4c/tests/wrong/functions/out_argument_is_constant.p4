void f(out bit<8> x) { x = 1; }
control c() { apply { f(5); } }
