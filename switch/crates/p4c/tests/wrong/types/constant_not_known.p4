control c(in bit<8> x) { const bit<8> y = x; apply {} }
