// Lab 3: a switch that remembers. It counts the bytes that leave by each port, finds the flows that send much, and lets the others go first.
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

    bit<64> content;

    apply {
        cells.read(content, cell);
        bytes = content[31:0];
        if (content[63:32] != window) {
            bytes = 0;
        }
        bytes = bytes + length;
        cells.write(cell, window ++ bytes);
    }
}

control HeavyIngress(inout headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    register<bit<64>>(PORTS) port_bytes;

    Forwarding() forwarding;
    Row(CELLS) first_row;
    Row(CELLS) second_row;
    Row(CELLS) third_row;

    bit<1> is_routed;
    bit<64> bytes;
    bit<16> source_port;
    bit<16> destination_port;
    bit<32> window;
    bit<32> cell;
    bit<32> estimate;
    bit<32> other;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
        if (is_routed == 1) {
            port_bytes.read(bytes, (bit<32>) standard_metadata.egress_spec);
            bytes = bytes + (bit<64>) standard_metadata.packet_length;
            port_bytes.write((bit<32>) standard_metadata.egress_spec, bytes);

            source_port = 0;
            destination_port = 0;
            if (hdr.ports.isValid()) {
                source_port = hdr.ports.source;
                destination_port = hdr.ports.destination;
            }
            window = (bit<32>) (standard_metadata.ingress_global_timestamp >> 20);

            hash(cell, HashAlgorithm.crc32, 32w0,
                { hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol, source_port, destination_port }, CELLS);
            first_row.apply(cell, window, standard_metadata.packet_length, estimate);
            hash(cell, HashAlgorithm.crc16, 32w0,
                { hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol, source_port, destination_port }, CELLS);
            second_row.apply(cell, window, standard_metadata.packet_length, other);
            if (other < estimate) {
                estimate = other;
            }
            hash(cell, HashAlgorithm.crc32, 32w0,
                { destination_port, hdr.ipv4.destination, 8w0x55, hdr.ipv4.source, source_port, hdr.ipv4.protocol }, CELLS);
            third_row.apply(cell, window, standard_metadata.packet_length, other);
            if (other < estimate) {
                estimate = other;
            }

            standard_metadata.priority = PRIORITY_LIGHT;
            if (estimate > HEAVY_BYTES) {
                standard_metadata.priority = PRIORITY_HEAVY;
                hdr.ipv4.dscp_ecn[7:2] = DSCP_LOWER_EFFORT;
            }
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
