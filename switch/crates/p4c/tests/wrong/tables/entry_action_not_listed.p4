#include <core.p4>
control c(inout bit<8> x) {
    action a() {}
    table t {
        key = { x: exact; }
        actions = { NoAction; }
        const entries = { 1: a(); }
    }
    apply { t.apply(); }
}
