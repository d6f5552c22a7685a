// Lab 3: a switch that remembers. It counts the bytes that leave by each port, finds the flows that send much, and lets the others go first.
// The missing parts are marked "Your part".
#include <core.p4>
#include <v1model.p4>

#include "forwarding.p4"

const bit<32> PORTS = 512;
const bit<32> CELLS = 1024;             // of each row of the sketch
const bit<32> HEAVY_BYTES = 100000;     // more than this in a window of 2^20 µs (1.05 s) makes a flow a heavy one
const bit<6>  DSCP_LOWER_EFFORT = 8;    // CS1: the mark of heavy flows
const bit<3>  PRIORITY_HEAVY = 0;       // the queue that waits for the other one
const bit<3>  PRIORITY_LIGHT = 1;

header ports_t {
    bit<16> source;
    bit<16> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ports_t    ports;           // of TCP and UDP; where it is not valid, its fields must not be used: 0 counts in their place
}

struct metadata_t {
}

parser HeavyParser(packet_in packet,
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
        transition select(hdr.ipv4.header_length, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): parse_ports;
            (5, 0, PROTOCOL_UDP): parse_ports;
            default: accept;
        }
    }

    state parse_ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control HeavyVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

// One row of the sketch: adds the packet to the cell of its flow, and returns the bytes in it then.
control Row(in bit<32> cell, in bit<32> window, in bit<32> length, out bit<32> bytes)(bit<32> size) {
    register<bit<64>>(size) cells;      // the window that was counted in, and the bytes

    apply {
        // Your part 2: bytes that were counted in another window do not count any more.
        bytes = 0;
    }
}

control HeavyIngress(inout headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    register<bit<64>>(PORTS) port_bytes;

    Forwarding() forwarding;
    Row(CELLS) first_row;

    bit<1> is_routed;
    bit<32> window;
    bit<32> cell;
    bit<32> estimate;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
        if (is_routed == 1) {
            // Your part 1: add the packet to the bytes that have left by its port.

            // Your part 3: one row of the sketch. Which flow is the packet of, and which window is it?
            cell = 0;
            window = 0;
            first_row.apply(cell, window, standard_metadata.packet_length, estimate);
            // Your part 4: two more rows, with other hashes. What do all three say together?

            // Your part 5: a heavy flow is marked (dscp_ecn: DSCP, 6 bits, then ECN, 2 bits) and goes last; all others go first.
        }
    }
}

control HeavyEgress(inout headers_t hdr,
                    inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    apply { }
}

control HeavyComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control HeavyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(HeavyParser(),
         HeavyVerifyChecksum(),
         HeavyIngress(),
         HeavyEgress(),
         HeavyComputeChecksum(),
         HeavyDeparser()) main;
