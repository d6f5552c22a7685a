type bit<8> port_t;
control c(inout port_t p) { apply { p = p + p; } }
