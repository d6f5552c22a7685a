// In-band telemetry: a question that a sender sends every round trip, with a record of each switch on its way.
//
// Source: Y. Li et al., "HPCC: High Precision Congestion Control", ACM SIGCOMM 2019, section 4.1 and figure 7, which has these values in
// every packet. docs/hpcc.md says where this differs. All ports of the message are NODECTL_PORT.
#ifndef TELEMETRY_P4
#define TELEMETRY_P4

const bit<16> TYPE_TELEMETRY = 0x0041;
const bit<16> TYPE_TELEMETRY_ECHO = 0x0042;     // the receiver's answer, with the same records
const bit<16> TELEMETRY_UDP_LENGTH = 28;        // of a question without records
const bit<16> HOP_LENGTH = 20;
const bit<8>  MOST_HOPS = 8;

header telemetry_t {
    bit<16> type;
    bit<8>  version;
    bit<8>  hops;               // records behind it
    bit<64> content_id;
    bit<32> destination_id;
    bit<32> subflow;
}

// The record of one link, which the packet has left behind.
header hop_t {
    bit<32> link_kbps;
    bit<32> queue_packets;
    bit<64> sent_bytes;         // by this port since the switch began, with this packet
    bit<32> left_us;            // by the switch's clock, modulo 2^32
}

#endif
