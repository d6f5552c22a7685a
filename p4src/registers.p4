// What a switch remembers of transmissions: one record each, and the sums of the records of each port.
#ifndef NODECTL_REGISTERS_P4
#define NODECTL_REGISTERS_P4

#include "constants.p4"

register<bit<16>>(SLOTS) record_port;           // data port with IN_USE; without: the slot is free
register<bit<64>>(SLOTS) record_content_id;
register<bit<32>>(SLOTS) record_destination_id;
register<bit<32>>(SLOTS) record_subflow;
register<bit<32>>(SLOTS) record_sender_ip;
register<bit<32>>(SLOTS) record_receiver_ip;
register<bit<32>>(SLOTS) record_rate_kbps;       // the rate that is reserved for it
register<bit<32>>(SLOTS) record_share_kbps;      // the rate that the port offered it, or reduced it to: B_c
register<bit<8>>(SLOTS)  record_is_bottleneck;
register<bit<48>>(SLOTS) record_last_seen_us;

// A transmission counts once, with the sum of its subflows (subflows.p4); this port is its bottleneck if it is that of one of them.
register<bit<64>>(PORTS) port_sum;              // kbit/s
register<bit<32>>(PORTS) port_count;
register<bit<64>>(PORTS) port_bottleneck_sum;   // of the transmissions whose bottleneck this port is: B_ctl
register<bit<32>>(PORTS) port_bottleneck_count; // Q_ctl

#endif
