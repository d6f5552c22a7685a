const bool b = +false;
const bit<8> c = -true;
