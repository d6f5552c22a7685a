#include <core.p4>
header h_t { bit<8> a; }
control c(inout h_t h) {
    table t { key = { h: exact; } actions = { NoAction; } }
    apply { t.apply(); }
}
