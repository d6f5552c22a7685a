#include <core.p4>
control c(inout bit<8> x, in bit<8> y) {
    table t {
        key = { x: exact; }
        actions = { NoAction; }
        const entries = { y: NoAction(); }
    }
    apply { t.apply(); }
}
