enum bit<8> kind { A = 1 }
const bit<16> c = (bit<16>)kind.A;
