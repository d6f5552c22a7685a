#inclde <core.p4>
control c(in packet_in p) { apply { } }
