struct pair<A, B> { A a; B b; }
const pair<bit<8>> p = { 1, 2 };
