struct around<T> { T inner; }
T f<T>(in T x) { f<around<T>>({x}); return x; }
parser p<T>(in T x) {
    p<around<T>>() inner;
    state start { transition accept; }
}
control c<T>(in T x) {
    c<around<T>>() inner;
    apply {}
}
parser q() {
    p<bit<8>>() inner;
    state start { inner.apply(8w1); transition accept; }
}
control d() {
    c<bit<8>>() inner;
    apply { inner.apply(f(8w1)); }
}
