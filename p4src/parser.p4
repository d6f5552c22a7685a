// Parser, checksums and deparser.
#ifndef NODECTL_PARSER_P4
#define NODECTL_PARSER_P4

#include "headers.p4"

parser NodectlParser(packet_in packet,
                     out headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    // What the controller sends is told by its first bytes and not by its port: a recirculated packet has lost that.
    // Ingress checks that nobody else sent it.
    state start {
        transition select(packet.lookahead<bit<48>>()) {
            PACKET_OUT_MAGIC: parse_packet_out;
            default: parse_ethernet;
        }
    }

    state parse_packet_out {
        packet.extract(hdr.packet_out);
        packet.extract(hdr.entry);
        transition accept;
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.header_length, hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_UDP): parse_udp;
#ifdef NODECTL_DEPLOYABLE
            (5, 0, 0, PROTOCOL_TCP): parse_tcp;
#endif
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length, hdr.ipv4.total_length) {
            (NODECTL_PORT, NODECTL_PORT, NODECTL_UDP_LENGTH, NODECTL_IPV4_LENGTH): parse_nodectl;
#ifdef NODECTL_DEPLOYABLE
            (NODECTL_PORT, NODECTL_PORT, NODECTL_V2_UDP_LENGTH, NODECTL_V2_IPV4_LENGTH): parse_nodectl_v2;
#endif
            default: accept;
        }
    }

    state parse_nodectl {
        packet.extract(hdr.nodectl);
        transition accept;
    }
#ifdef NODECTL_DEPLOYABLE

    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }

    state parse_nodectl_v2 {
        packet.extract(hdr.nodectl);
        packet.extract(hdr.nodectl_v2);
        transition accept;
    }
#endif
}

control NodectlVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control NodectlComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
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
#ifdef NODECTL_DEPLOYABLE
        packet.emit(hdr.nodectl_v2);
        packet.emit(hdr.tcp);
#endif
    }
}

#endif
