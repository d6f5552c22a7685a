// Headers and metadata of the paper's program. docs/protocol/wire-format.md explains every field.
#ifndef NODECTL_HEADERS_P4
#define NODECTL_HEADERS_P4

#include "ipv4.p4"
#include "message.p4"
#include "constants.p4"
#include "queue.p4"

// The header in front of packets to the controller: one event.
@controller_header("packet_in")
header packet_in_t {
#include "event_fields.p4"
}

const bit<32> PACKET_IN_LENGTH = 84;

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    entry_t      entry;
    ethernet_t   ethernet;
    ipv4_t       ipv4;
    udp_t        udp;
    nodectl_t    nodectl;
}

struct metadata_t {
#include "metadata_fields.p4"
}

#endif
