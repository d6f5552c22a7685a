#include <core.p4>
control c(inout bit<8> x) {
    table t { key = { x: exact; } actions = { NoAction; } }
    apply { switch (t.apply().action_run) { NoAction: { x = 1; } NoAction: { x = 2; } } }
}
