enum bit<8> kind { A = 1 }
enum bit<8> other { A = 1 }
control c(inout kind k, in other o) { apply { if (k == o) { k = kind.A; } } }
