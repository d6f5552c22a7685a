control c_t(inout bit<8> x);
package top(c_t c);
parser p(inout bit<8> x) { state start { transition accept; } }
top(p()) main;
