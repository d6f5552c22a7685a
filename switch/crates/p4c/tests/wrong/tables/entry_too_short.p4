#include <core.p4>
control c(inout bit<8> x, inout bit<8> y) {
    table t {
        key = { x: exact; y: exact; }
        actions = { NoAction; }
        const entries = { (1): NoAction(); }
    }
    apply { t.apply(); }
}
