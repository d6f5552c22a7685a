// Queues that drop what finds no room, and nothing else. Another file with these names takes its place: docs/disciplines.md.
#ifndef DROP_TAIL_QUEUE_P4
#define DROP_TAIL_QUEUE_P4

#include "ipv4.p4"

struct traffic_manager_t {
}

control EnterQueue(inout ipv4_t ipv4,
                   in bit<32> transport_ports,
                   inout traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    apply {
    }
}

control LeaveQueue(inout ipv4_t ipv4,
                   in traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    apply {
    }
}

#endif
