bit<8> f() { return 1; }
control c() { apply { f() = 6; } }
