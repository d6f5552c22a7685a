#include <core.p4>
control c(inout bit<8> x) {
    action a(inout bit<8> y) { y = 1; }
    table t { key = { x: exact; } actions = { a; NoAction; } default_action = NoAction(); }
    apply { t.apply(); }
}
