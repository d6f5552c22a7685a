enum bit<8> kind { A = 1, B }
