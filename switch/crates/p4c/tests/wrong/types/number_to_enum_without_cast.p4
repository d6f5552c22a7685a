enum bit<8> kind { A = 1 }
control c(inout kind k, in bit<8> x) { apply { k = x; } }
