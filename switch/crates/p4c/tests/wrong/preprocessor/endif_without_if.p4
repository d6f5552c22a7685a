const bit<8> a = 5;
#endif
