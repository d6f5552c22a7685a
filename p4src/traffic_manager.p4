// Fields of the queue that a packet waited in: docs/links.md, "Several queues". The switch fills them by their names, before egress.
#ifndef TRAFFIC_MANAGER_P4
#define TRAFFIC_MANAGER_P4

struct traffic_manager_t {
    bit<48> dequeue_ns;   // now: when the packet left the queue
    bit<48> sojourn_ns;   // how long it was in there
    bit<32> queue_bytes;  // what it left behind
}

#endif
