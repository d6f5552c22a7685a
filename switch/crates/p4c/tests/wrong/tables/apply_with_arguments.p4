#include <core.p4>
control c(inout bit<8> x) {
    table t { key = { x: exact; } actions = { NoAction; } }
    apply { t.apply(x); }
}
