#include <core.p4>
control c(inout bit<8> x) {
    action a(bit<8> y) { x = y; }
    table t { key = { x: exact; } actions = { a(5); NoAction; } default_action = NoAction(); }
    apply { t.apply(); }
}
