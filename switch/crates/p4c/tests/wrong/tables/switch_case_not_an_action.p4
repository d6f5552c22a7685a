#include <core.p4>
control c(inout bit<8> x) {
    action a() {}
    table t { key = { x: exact; } actions = { NoAction; } }
    apply { switch (t.apply().action_run) { a: { x = 1; } } }
}
