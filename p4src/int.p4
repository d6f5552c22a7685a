// HPCC's router: writes a record of its link into each telemetry question that it sends (telemetry.p4).
//
// Source: Y. Li et al., "HPCC: High Precision Congestion Control", ACM SIGCOMM 2019, section 4.1.
#include <core.p4>
#include <v1model.p4>

#include "forwarding.p4"
#include "managed_port.p4"
#include "message.p4"
#include "ports.p4"
#include "queue.p4"
#include "telemetry.p4"

struct headers_t {
    ethernet_t  ethernet;
    ipv4_t      ipv4;
    udp_t       udp;
    telemetry_t telemetry;
    hop_t[8]    hops;           // MOST_HOPS; the last switch's record is the first
}

struct metadata_t {
    traffic_manager_t traffic_manager;
    bit<8> hops_left;           // to be parsed
}

#include "ipv4_checksum.p4"

parser TelemetryParser(packet_in packet,
                       out headers_t hdr,
                       inout metadata_t meta,
                       inout standard_metadata_t standard_metadata) {
    state start {
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
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.source_port, hdr.udp.destination_port) {
            (NODECTL_PORT, NODECTL_PORT): parse_type;
            default: accept;
        }
    }

    state parse_type {
        transition select(packet.lookahead<bit<24>>()) {
            TYPE_TELEMETRY ++ NODECTL_VERSION: parse_telemetry;
            default: accept;
        }
    }

    state parse_telemetry {
        packet.extract(hdr.telemetry);
        meta.hops_left = hdr.telemetry.hops;
        transition select(hdr.telemetry.hops) {
            0: accept;
            1 .. 8: parse_hop;
            default: accept;    // no room for another one
        }
    }

    state parse_hop {
        packet.extract(hdr.hops.next);
        meta.hops_left = meta.hops_left - 1;
        transition select(meta.hops_left) {
            0: accept;
            default: parse_hop;
        }
    }
}

control ForwardTelemetry(inout headers_t hdr,
                         inout metadata_t meta,
                         inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;
    EnterQueue() enter_queue;

    bit<1> is_routed;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
        if (is_routed == 1) {
            enter_queue.apply(hdr.ipv4, 0, meta.traffic_manager, standard_metadata);
        }
    }
}

control WriteTelemetry(inout headers_t hdr,
                       inout metadata_t meta,
                       inout standard_metadata_t standard_metadata) {
    register<bit<64>>(PORTS) port_sent_bytes;

    ManagedPort() managed_port;
    LeaveQueue() leave_queue;

    bit<1> is_managed;
    bit<32> link_kbps;
    bit<32> port;
    bit<64> sent_bytes;

    apply {
        port = (bit<32>) standard_metadata.egress_port;
        managed_port.apply(standard_metadata.egress_port, is_managed, link_kbps);
        if (is_managed == 1) {
            port_sent_bytes.read(sent_bytes, port);
            sent_bytes = sent_bytes + (bit<64>) standard_metadata.packet_length;
            port_sent_bytes.write(port, sent_bytes);

            // The lengths have to agree, or the records would not be where the receiver looks for them.
            if (hdr.telemetry.isValid() && hdr.telemetry.hops < MOST_HOPS && standard_metadata.parser_error == error.NoError
                    && hdr.udp.length == TELEMETRY_UDP_LENGTH + HOP_LENGTH * (bit<16>) hdr.telemetry.hops
                    && hdr.ipv4.total_length == hdr.udp.length + 20) {
                hdr.hops.push_front(1);
                hdr.hops[0].setValid();
                hdr.hops[0].link_kbps = link_kbps;
                hdr.hops[0].queue_packets = (bit<32>) standard_metadata.deq_qdepth;
                hdr.hops[0].sent_bytes = sent_bytes;
                hdr.hops[0].left_us = (bit<32>) standard_metadata.egress_global_timestamp;
                hdr.telemetry.hops = hdr.telemetry.hops + 1;
                hdr.udp.length = hdr.udp.length + HOP_LENGTH;
                hdr.udp.checksum = 0;       // RFC 768: none
                hdr.ipv4.total_length = hdr.ipv4.total_length + HOP_LENGTH;
            }
        }
        if (hdr.ipv4.isValid()) {
            leave_queue.apply(hdr.ipv4, meta.traffic_manager, standard_metadata);
        }
    }
}

control TelemetryDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.telemetry);
        packet.emit(hdr.hops);
    }
}

V1Switch(TelemetryParser(),
         NodectlVerifyChecksum(),
         ForwardTelemetry(),
         WriteTelemetry(),
         NodectlComputeChecksum(),
         TelemetryDeparser()) main;
