struct s_t { bit<8> a; }
control c(inout s_t s) { apply { s = {#}; } }
