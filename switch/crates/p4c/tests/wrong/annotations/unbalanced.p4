@foo(( ) const bit<8> a = 5;
