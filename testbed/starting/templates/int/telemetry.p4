// In-band telemetry: every switch adds its number to each probe, the length of its queue, and the time that the probe waited in it.
//
// A probe is a UDP datagram to port 7777 that begins with a byte: the number of hops that follow it. So any program can send and receive them.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8>  PROTOCOL_UDP = 17;
const bit<16> PROBE_PORT = 7777;
const bit<16> HOP_BYTES = 12;

#define MOST_HOPS 8

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

header udp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> bytes;
    bit<16> checksum;
}

header probe_t {
    bit<8> hops;
}

// The header that a switch adds, in front of the headers of the switches before it.
header hop_t {
    bit<16> switch_id;
    bit<16> queue_packets; // that were in the queue when the probe came
    bit<32> waited_us;     // in the queue
    bit<32> time_us;       // by the switch's clock, when the probe left the queue
}

struct headers_t {
    ethernet_t       ethernet;
    ipv4_t           ipv4;
    udp_t            udp;
    probe_t          probe;
    hop_t[MOST_HOPS] hops;
}

struct metadata_t {
    bit<8> left; // hops that the parser has not read yet
}

parser TelemetryParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
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
            (5, 0, PROTOCOL_UDP): udp;
            default:              accept;
        }
    }

    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.destination_port) {
            PROBE_PORT: probe;
            default:    accept;
        }
    }

    state probe {
        packet.extract(hdr.probe);
        meta.left = hdr.probe.hops;
        transition select(meta.left) {
            0:       accept;
            default: hop;
        }
    }

    state hop {
        packet.extract(hdr.hops.next);
        meta.left = meta.left - 1;
        transition select(meta.left) {
            0:       accept;
            default: hop;
        }
    }
}

control TelemetryVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control TelemetryIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    table ways {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; drop; }
        default_action = drop();
    }

    apply {
        if (hdr.ipv4.isValid() && standard.parser_error == error.NoError) {
            ways.apply();
        } else {
            drop();
        }
    }
}

// Behind the queue, where its length is known.
control TelemetryEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action add_hop(bit<16> switch_id) {
        hdr.hops.push_front(1);
        hdr.hops[0].setValid();
        hdr.hops[0].switch_id = switch_id;
        hdr.hops[0].queue_packets = (bit<16>) standard.enq_qdepth;
        hdr.hops[0].waited_us = standard.deq_timedelta;
        hdr.hops[0].time_us = (bit<32>) standard.egress_global_timestamp;
        hdr.probe.hops = hdr.probe.hops + 1;
        hdr.ipv4.total_bytes = hdr.ipv4.total_bytes + HOP_BYTES;
        hdr.udp.bytes = hdr.udp.bytes + HOP_BYTES;
        hdr.udp.checksum = 0; // none, which IPv4 allows
    }

    // Its default action says which switch this is.
    table identity {
        actions = { add_hop; NoAction; }
        default_action = NoAction();
    }

    apply {
        if (hdr.probe.isValid() && hdr.probe.hops < MOST_HOPS) {
            identity.apply();
        }
    }
}

control TelemetryCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.header_words, hdr.ipv4.traffic_class, hdr.ipv4.total_bytes, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control TelemetryDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.probe);
        packet.emit(hdr.hops);
    }
}

V1Switch(TelemetryParser(), TelemetryVerify(), TelemetryIngress(), TelemetryEgress(), TelemetryCompute(), TelemetryDeparser()) main;
