void f<t>(in bit<8> t) { }
