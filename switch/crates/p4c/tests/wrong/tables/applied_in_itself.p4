#include <core.p4>
control c(inout bit<8> x) {
    table t { key = { t.apply().hit: exact; } actions = { NoAction; } }
    apply { t.apply(); }
}
