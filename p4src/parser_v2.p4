// Parser and deparser of the variants with version 2 of the messages, in the place of parser.p4.
#ifndef NODECTL_PARSER_P4
#define NODECTL_PARSER_P4

#include "headers_v2.p4"
#include "ipv4_checksum.p4"

parser NodectlParser(packet_in packet,
                     out headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
#include "parser_states.p4"

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.header_length, hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_UDP): parse_udp;
            (5, 0, 0, PROTOCOL_TCP): parse_tcp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length, hdr.ipv4.total_length) {
            (NODECTL_PORT, NODECTL_PORT, NODECTL_UDP_LENGTH, NODECTL_IPV4_LENGTH): parse_nodectl;
            (NODECTL_PORT, NODECTL_PORT, NODECTL_V2_UDP_LENGTH, NODECTL_V2_IPV4_LENGTH): parse_nodectl_v2;
            default: accept;
        }
    }

    state parse_nodectl {
        packet.extract(hdr.nodectl);
        transition accept;
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }

    state parse_nodectl_v2 {
        packet.extract(hdr.nodectl);
        packet.extract(hdr.nodectl_v2);
        transition accept;
    }
}

control NodectlDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.packet_out);
        packet.emit(hdr.entry);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.nodectl);
        packet.emit(hdr.nodectl_v2);
        packet.emit(hdr.tcp);
    }
}

#endif
