#include <core.p4>
control c(inout bit<8> x) {
    action a() {}
    table t { key = { x: exact; } actions = { a; a; } default_action = a(); }
    apply { t.apply(); }
}
