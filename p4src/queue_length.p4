// The packets that wait at each port, as far as a program can know: it counts those that enter, and hears of the rest when one leaves. So
// a packet that finds no room is counted until then.
#ifndef QUEUE_LENGTH_P4
#define QUEUE_LENGTH_P4

#include "ports.p4"

register<bit<32>>(PORTS) queue_lengths;

// A packet enters the queue of a port.
control CountEntering(in bit<9> port) {
    bit<32> length;

    apply {
        queue_lengths.read(length, (bit<32>) port);
        queue_lengths.write((bit<32>) port, length + 1);
    }
}

// One has left it, and so many are left.
control CountLeft(in standard_metadata_t standard_metadata) {
    apply {
        queue_lengths.write((bit<32>) standard_metadata.egress_port, (bit<32>) standard_metadata.deq_qdepth);
    }
}

#endif
