// IPv4 forwarding as a router does it: longest prefix, next hop's addresses, TTL, checksum.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> diffserv;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {
}

parser ForwardParser(packet_in packet, out headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    state start {
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.type) {
            0x0800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(headers.ipv4);
        transition accept;
    }
}

control Check(inout headers_t headers, inout metadata_t metadata) {
    apply {
        verify_checksum(headers.ipv4.isValid(),
            { headers.ipv4.version, headers.ipv4.ihl, headers.ipv4.diffserv, headers.ipv4.total_length,
              headers.ipv4.identification, headers.ipv4.flags, headers.ipv4.fragment_offset, headers.ipv4.ttl,
              headers.ipv4.protocol, headers.ipv4.source, headers.ipv4.destination },
            headers.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control Route(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    direct_counter(CounterType.packets_and_bytes) hits;

    action drop() {
        mark_to_drop(standard);
    }
    action forward(bit<48> source, bit<48> destination, bit<9> port) {
        hits.count();
        headers.ethernet.source = source;
        headers.ethernet.destination = destination;
        headers.ipv4.ttl = headers.ipv4.ttl - 1;
        standard.egress_spec = port;
    }
    table routes {
        key = { headers.ipv4.destination: lpm; }
        actions = { forward; drop; }
        default_action = drop();
        counters = hits;
        size = 1024;
    }
    apply {
        if (headers.ipv4.isValid() && headers.ipv4.ttl > 1 && standard.checksum_error == 0) {
            routes.apply();
        } else {
            drop();
        }
    }
}

control Leave(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    apply {
    }
}

control Update(inout headers_t headers, inout metadata_t metadata) {
    apply {
        update_checksum(headers.ipv4.isValid(),
            { headers.ipv4.version, headers.ipv4.ihl, headers.ipv4.diffserv, headers.ipv4.total_length,
              headers.ipv4.identification, headers.ipv4.flags, headers.ipv4.fragment_offset, headers.ipv4.ttl,
              headers.ipv4.protocol, headers.ipv4.source, headers.ipv4.destination },
            headers.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control Write(packet_out packet, in headers_t headers) {
    apply {
        packet.emit(headers);
    }
}

V1Switch(ForwardParser(), Check(), Route(), Leave(), Update(), Write()) main;
