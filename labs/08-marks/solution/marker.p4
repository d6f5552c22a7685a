// Lab 8: a switch that marks packets while its queue is long, and keeps DCTCP's average of how many.
#include <core.p4>
#include <v1model.p4>

#include "forwarding.p4"

const bit<19> THRESHOLD = 20;           // K, packets: more than these wait when a packet comes
const bit<2>  CE = 3;
const bit<32> PORTS = 512;
const bit<32> WINDOW = 64;              // packets of which a share is taken

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
}

struct metadata_t {
}

parser MarkerParser(packet_in packet,
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
        transition accept;
    }
}

control MarkerVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control MarkerIngress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;

    bit<1> is_routed;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
    }
}

control MarkerEgress(inout headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    counter(PORTS, CounterType.packets) marked;
    register<bit<32>>(PORTS) window_packets;    // of the present window, so far
    register<bit<32>>(PORTS) window_marks;
    register<bit<32>>(PORTS) alpha;             // in 1/65536

    bit<32> port;
    bit<32> packets;
    bit<32> marks;
    bit<32> average;

    apply {
        port = (bit<32>) standard_metadata.egress_port;
        if (hdr.ipv4.isValid() && hdr.ipv4.dscp_ecn[1:0] != NOT_ECT) {
            if (hdr.ipv4.dscp_ecn[1:0] != CE && standard_metadata.enq_qdepth > THRESHOLD) {
                hdr.ipv4.dscp_ecn[1:0] = CE;
                marked.count(port);
            }

            window_packets.read(packets, port);
            window_marks.read(marks, port);
            packets = packets + 1;
            if (hdr.ipv4.dscp_ecn[1:0] == CE) {
                marks = marks + 1;
            }
            if (packets == WINDOW) {
                // alpha (1 - 1/16) + marks / 64 / 16, both in 1/65536
                alpha.read(average, port);
                average = average - (average >> 4) + (marks << 6);
                alpha.write(port, average);
                packets = 0;
                marks = 0;
            }
            window_packets.write(port, packets);
            window_marks.write(port, marks);
        }
    }
}

control MarkerComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control MarkerDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(MarkerParser(),
         MarkerVerifyChecksum(),
         MarkerIngress(),
         MarkerEgress(),
         MarkerComputeChecksum(),
         MarkerDeparser()) main;
