// A firewall with a memory: TCP connections are opened from inside alone, and only their answers come in.
//
// The memory is a Bloom filter: two registers of bits, each with a hash function of its own. A connection that was opened is never
// forgotten. A stranger's packet may find both of its bits set by others, which is the more likely the more bits are set.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8>  PROTOCOL_TCP = 6;
const bit<32> BITS = 4096;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  header_words;
    bit<8>  traffic_class;
    bit<16> total_bytes;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  time_to_live;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header tcp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<32> sequence;
    bit<32> acknowledged;
    bit<4>  header_words;
    bit<4>  reserved;
    bit<1>  cwr;
    bit<1>  ece;
    bit<1>  urg;
    bit<1>  ack;
    bit<1>  psh;
    bit<1>  rst;
    bit<1>  syn;
    bit<1>  fin;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    tcp_t      tcp;
}

struct metadata_t {
    bit<1>  outward; // the packet comes from inside
    bit<32> first;   // where the connection is in each register
    bit<32> second;
}

parser StatefulParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TYPE_IPV4: ipv4;
            default:   accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.header_words, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): tcp;
            default:              accept;
        }
    }

    state tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }
}

control StatefulVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control StatefulIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<1>>(BITS) first_filter;
    register<bit<1>>(BITS) second_filter;

    // 0: connections that were opened, 1: packets from outside that belong to none.
    counter(2, CounterType.packets) seen;

    action drop() {
        mark_to_drop(standard);
    }

    // `outward` is 1 if the port leads out.
    action forward(bit<9> port, bit<1> outward) {
        standard.egress_spec = port;
        meta.outward = outward;
    }

    table ways {
        key = { hdr.ipv4.destination: exact; }
        actions = { forward; drop; }
        default_action = drop();
    }

    // A connection has the same place in both directions, since the hashes tell inside from outside, and not source from destination.
    action place(bit<32> inside, bit<32> outside, bit<16> inside_port, bit<16> outside_port) {
        hash(meta.first, HashAlgorithm.crc32, (bit<32>) 0, { inside, outside, inside_port, outside_port }, BITS);
        hash(meta.second, HashAlgorithm.crc16, (bit<32>) 0, { outside_port, inside_port, outside, inside }, BITS);
    }

    apply {
        if (!hdr.tcp.isValid()) {
            drop();
        } else if (ways.apply().hit) {
            if (meta.outward == 1) {
                place(hdr.ipv4.source, hdr.ipv4.destination, hdr.tcp.source_port, hdr.tcp.destination_port);
                if (hdr.tcp.syn == 1 && hdr.tcp.ack == 0) {
                    first_filter.write(meta.first, 1);
                    second_filter.write(meta.second, 1);
                    seen.count(0);
                }
            } else {
                bit<1> in_first;
                bit<1> in_second;
                place(hdr.ipv4.destination, hdr.ipv4.source, hdr.tcp.destination_port, hdr.tcp.source_port);
                first_filter.read(in_first, meta.first);
                second_filter.read(in_second, meta.second);
                if (in_first == 0 || in_second == 0) {
                    seen.count(1);
                    drop();
                }
            }
        }
    }
}

control StatefulEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control StatefulCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control StatefulDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
    }
}

V1Switch(StatefulParser(), StatefulVerify(), StatefulIngress(), StatefulEgress(), StatefulCompute(), StatefulDeparser()) main;
