// RCP: a router that tells every sender the same rate, and finds it from the data that comes and the data that waits.
//
// Source: N. Dukkipati, "Rate Control Protocol (RCP): Congestion control to make flows complete quickly", PhD thesis, Stanford (2007).
// The parts of hosts and switches are in docs/rcp.md, and protocol/model/rcp_model.py is the same router in Python.
//
// A request (message.p4) is RCP's congestion header: max_kbps is the rate that the path allows so far, rtt_us the sender's RTT.
#include <core.p4>
#include <v1model.p4>

#include "forwarding.p4"
#include "message.p4"
#include "ports.p4"
#include "queue.p4"
#include "rate_law.p4"

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    udp_t      udp;
    nodectl_t  request;
}

struct metadata_t {
    traffic_manager_t traffic_manager;
    bit<64> arrived_bytes;      // at the queue that the packet waits in, up to and with itself
}

parser RcpParser(packet_in packet,
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
        transition select(hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length, hdr.ipv4.total_length) {
            (NODECTL_PORT, NODECTL_PORT, NODECTL_UDP_LENGTH, NODECTL_IPV4_LENGTH): parse_type;
            default: accept;
        }
    }

    state parse_type {
        transition select(packet.lookahead<bit<24>>()) {
            TYPE_REQUEST ++ NODECTL_VERSION: parse_request;
            default: accept;
        }
    }

    state parse_request {
        packet.extract(hdr.request);
        transition accept;
    }
}

control RcpVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

// In front of the queue: counts the bytes that come.
control RcpIngress(inout headers_t hdr,
                   inout metadata_t meta,
                   inout standard_metadata_t standard_metadata) {
    register<bit<64>>(PORTS) port_bytes;

    Forwarding() forwarding;
    EnterQueue() enter_queue;

    bit<1> is_routed;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
        if (is_routed == 1) {
            port_bytes.read(meta.arrived_bytes, (bit<32>) standard_metadata.egress_spec);
            meta.arrived_bytes = meta.arrived_bytes + (bit<64>) standard_metadata.packet_length;
            port_bytes.write((bit<32>) standard_metadata.egress_spec, meta.arrived_bytes);
            enter_queue.apply(hdr.ipv4, 0, meta.traffic_manager, standard_metadata);
        }
    }
}

// Behind the queue: measures how long the packet waited, and computes the rate.
control RcpEgress(inout headers_t hdr,
                  inout metadata_t meta,
                  inout standard_metadata_t standard_metadata) {
    register<bit<32>>(PORTS) port_rate_kbps;        // R
    register<bit<32>>(PORTS) port_rtt_q3;           // d, in 1/8 us; 0: nobody has said it yet
    register<bit<32>>(PORTS) interval_begin_us;     // arrival of the packet with which the present interval began
    register<bit<64>>(PORTS) interval_begin_bytes;  // bytes that had come by then

    RateLaw() rate_law;
    LeaveQueue() leave_queue;

    bit<1> is_managed;
    bit<32> link_kbps;
    bit<32> port;
    bit<32> rate_kbps;
    bit<32> rtt_q3;
    bit<32> rtt_us;
    bit<32> begin_us;
    bit<64> begin_bytes;
    bit<32> elapsed_us;
    bit<32> interval_us;

    // The tolerance is Nodectl's.
    action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) {
        is_managed = 1;
        link_kbps = capacity_kbps;
    }

    table port_capacity {
        key = { standard_metadata.egress_port: exact @name("data_port"); }
        actions = { set_capacity; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        is_managed = 0;
        port = (bit<32>) standard_metadata.egress_port;
        port_capacity.apply();
        if (is_managed == 1) {
            port_rate_kbps.read(rate_kbps, port);
            port_rtt_q3.read(rtt_q3, port);
            interval_begin_us.read(begin_us, port);
            interval_begin_bytes.read(begin_bytes, port);
            elapsed_us = standard_metadata.enq_timestamp - begin_us;
            rtt_us = rtt_q3 >> 3;

            // A port that nobody has used for so long is as good as new.
            if (rate_kbps == 0 || elapsed_us > IDLE_US) {
                rate_kbps = link_kbps;
                rtt_q3 = 0;
                begin_us = standard_metadata.enq_timestamp;
                begin_bytes = meta.arrived_bytes;
            } else {
                interval_us = INTERVAL_US;
                if (rtt_us < INTERVAL_US) {
                    interval_us = rtt_us;
                }
                if (rtt_us != 0 && elapsed_us >= interval_us) {
                    rate_law.apply(rate_kbps, link_kbps, rtt_us, elapsed_us, meta.arrived_bytes - begin_bytes,
                                   standard_metadata.deq_timedelta);
                    begin_us = standard_metadata.enq_timestamp;
                    begin_bytes = meta.arrived_bytes;
                }
            }

            if (hdr.request.isValid() && hdr.request.rtt_us != 0 && hdr.request.rtt_us <= MAX_RTT_US) {
                if (rtt_q3 == 0) {
                    rtt_q3 = hdr.request.rtt_us << 3;
                } else {
                    rtt_q3 = rtt_q3 - (rtt_q3 >> 3) + hdr.request.rtt_us;
                }
                if (hdr.request.max_kbps > rate_kbps) {
                    hdr.request.max_kbps = rate_kbps;
                }
            }

            port_rate_kbps.write(port, rate_kbps);
            port_rtt_q3.write(port, rtt_q3);
            interval_begin_us.write(port, begin_us);
            interval_begin_bytes.write(port, begin_bytes);
        }
        if (hdr.ipv4.isValid()) {
            leave_queue.apply(hdr.ipv4, meta.traffic_manager, standard_metadata);
        }
    }
}

control RcpComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
        update_checksum(hdr.request.isValid(),
            { hdr.ipv4.source, hdr.ipv4.destination, 8w0, hdr.ipv4.protocol, hdr.udp.length,
              hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length,
              hdr.request.type, hdr.request.version, hdr.request.flags, hdr.request.content_id, hdr.request.destination_id,
              hdr.request.subflow, hdr.request.max_kbps, hdr.request.min_kbps, hdr.request.rtt_us },
            hdr.udp.checksum, HashAlgorithm.csum16);
    }
}

control RcpDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.request);
    }
}

V1Switch(RcpParser(),
         RcpVerifyChecksum(),
         RcpIngress(),
         RcpEgress(),
         RcpComputeChecksum(),
         RcpDeparser()) main;
