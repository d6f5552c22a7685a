// A router whose queues have a discipline: the file that is included before this one says which (docs/disciplines.md).
#include "forwarding.p4"

struct metadata_t {
    traffic_manager_t traffic_manager;
}

#include "router.p4"

control RouterIngress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;
    EnterQueue() enter_queue;

    bit<1> is_routed;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
        if (is_routed == 1) {
            enter_queue.apply(hdr.ipv4, hdr.transport.isValid() ? hdr.transport.ports : 0, meta.traffic_manager, standard_metadata);
        }
    }
}

control RouterEgress(inout headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    LeaveQueue() leave_queue;

    apply {
        if (hdr.ipv4.isValid()) {
            leave_queue.apply(hdr.ipv4, meta.traffic_manager, standard_metadata);
        }
    }
}

V1Switch(RouterParser(),
         RouterVerifyChecksum(),
         RouterIngress(),
         RouterEgress(),
         RouterComputeChecksum(),
         RouterDeparser()) main;
