// Headers and metadata of the variants with version 2 of the messages, in the place of headers.p4. docs/protocol/wire-format.md explains every field.
#ifndef NODECTL_HEADERS_P4
#define NODECTL_HEADERS_P4

#include "ipv4.p4"
#include "message_v2.p4"
#include "constants.p4"
#include "queue.p4"

// The header in front of packets to the controller: one event.
@controller_header("packet_in")
header packet_in_t {
#include "event_fields.p4"
    bit<32> reserved_kbps;
    bit<32> min_kbps;
    bit<32> sequence;
    bit<64> port_reserved_sum_kbps;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    entry_t      entry;
    ethernet_t   ethernet;
    ipv4_t       ipv4;
    udp_t        udp;
    nodectl_t    nodectl;
    nodectl_v2_t nodectl_v2;
    tcp_t        tcp;
}

struct metadata_t {
#include "metadata_fields.p4"
    @field_list(KEEP_EVENT) bit<32> reserved_kbps;
    @field_list(KEEP_EVENT) bit<32> min_kbps;
    @field_list(KEEP_EVENT) bit<32> sequence;
    @field_list(KEEP_EVENT) bit<64> port_reserved_sum_kbps;
    bit<32> previous_reserved_kbps;
    bit<32> confirmed_kbps;         // the part of reserved_kbps that its sender was told it has: the last request may still be under way
    bit<32> ended_sequence;         // of a record of this id that has gone; 0: none is remembered
    bit<1>  is_overcommitted;
    bit<1>  is_from_host;           // came in by a port with hosts behind it
    bit<32> source_index;
    bit<16> path_mark;              // of the record on this switch
    bit<32> least_kbps;             // the part of B_z that is kept, whatever others send
}

#endif
