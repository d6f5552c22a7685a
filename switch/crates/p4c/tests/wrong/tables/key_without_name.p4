#include <core.p4>
control c(inout bit<8> x) {
    table t { key = { x + 1: exact; } actions = { NoAction; } }
    apply { t.apply(); }
}
