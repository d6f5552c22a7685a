#include <core.p4>
control c(inout bit<8> x) {
    table t { key = { x: exact; } actions = { NoAction; } size = 5; size = 6; }
    apply { t.apply(); }
}
