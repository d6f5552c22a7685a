// How a queue tells a sender that it is too long: by a mark where the sender knows of ECN (RFC 3168), else by a loss.
#ifndef TELL_SENDER_P4
#define TELL_SENDER_P4

#include "ipv4.p4"
#include "ports.p4"

control TellSender(inout ipv4_t ipv4, inout standard_metadata_t standard_metadata, in bit<9> port, in bit<1> by_mark) {
    @name(".dropped") counter(PORTS, CounterType.packets) dropped;
    @name(".marked") counter(PORTS, CounterType.packets) marked;

    apply {
        if (by_mark == 1) {
            ipv4.dscp_ecn[1:0] = CONGESTION_EXPERIENCED;
            marked.count((bit<32>) port);
        } else {
            mark_to_drop(standard_metadata);
            dropped.count((bit<32>) port);
        }
    }
}

#endif
