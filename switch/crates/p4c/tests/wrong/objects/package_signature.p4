control c_t(inout bit<8> x);
package top(c_t c);
control mine(inout bit<16> x) { apply {} }
top(mine()) main;
