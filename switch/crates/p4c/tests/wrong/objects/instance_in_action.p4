#include <core.p4>
extern e { e(); }
control c() {
    action a() { e() x; }
    apply { a(); }
}
