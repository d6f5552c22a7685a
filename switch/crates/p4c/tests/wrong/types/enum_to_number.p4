enum colour { RED, GREEN }
const bit<8> c = (bit<8>)colour.RED;
