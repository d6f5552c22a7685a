T nothing<T>() { T t; return t; }
control c(inout bit<8> x) { apply { nothing(); } }
