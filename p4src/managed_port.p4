// Whether a port takes part in what routers tell senders, and its link's capacity: the table that the controller fills.
#ifndef MANAGED_PORT_P4
#define MANAGED_PORT_P4

#include "ports.p4"

control ManagedPort(in bit<9> port, out bit<1> is_managed, out bit<32> link_kbps) {
    // The tolerance is Nodectl's.
    action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) {
        is_managed = 1;
        link_kbps = capacity_kbps;
    }

    table port_capacity {
        key = { port: exact @name("data_port"); }
        actions = { set_capacity; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        is_managed = 0;
        link_kbps = 0;
        port_capacity.apply();
    }
}

#endif
