struct T { }
extern E {
    E();
    T(in bit<8> x);
}
