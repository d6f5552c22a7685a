/* A program with one of everything that P4Runtime can touch; see test_*.py beside it. */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_LEARN = 0x0801;
const bit<32> CPU_SESSION = 100;

@controller_header("packet_in")
header packet_in_t {
    port_t ingress_port;
    bit<7> reason;
    bit<32> stamp;
}

@controller_header("packet_out")
header packet_out_t {
    port_t egress_port;
    bit<7> padding;
}

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> length;
    bit<16> id;
    bit<3> flags;
    bit<13> offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

struct headers_t {
    packet_in_t packet_in;
    packet_out_t packet_out;
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct learn_t {
    mac_t src;
    port_t port;
}

struct meta_t {
    @field_list(1)
    port_t clone_port;
    bit<1> special;
    bit<2> color;
    bit<16> hash;
}

parser the_parser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    value_set<bit<16>>(4) special_types;

    state start {
        transition select(standard.ingress_port) {
            510: parse_packet_out;
            default: parse_ethernet;
        }
    }
    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition parse_ethernet;
    }
    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            special_types: parse_special;
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }
    state parse_special {
        meta.special = 1;
        transition accept;
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control no_checksum(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control the_ingress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    register<bit<32>>(16) seen;
    register<int<16>>(4) signed_cells;
    counter(8, CounterType.packets_and_bytes) port_counter;
    meter(8, MeterType.packets) port_meter;
    direct_counter(CounterType.packets_and_bytes) route_counter;
    direct_meter<bit<2>>(MeterType.bytes) acl_meter;
    @max_group_size(8)
    action_selector(HashAlgorithm.crc16, 64, 16) hop_selector;
    action_profile(16) mark_profile;

    action drop() {
        mark_to_drop(standard);
    }
    action forward(port_t port) {
        standard.egress_spec = port;
    }
    action multicast(bit<16> group) {
        standard.mcast_grp = group;
    }
    action to_cpu(bit<7> reason) {
        standard.egress_spec = 510;
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = standard.ingress_port;
        hdr.packet_in.reason = reason;
        hdr.packet_in.stamp = 0xdeadbeef;
    }
    action clone_to_cpu() {
        meta.clone_port = standard.ingress_port;
        clone_preserving_field_list(CloneType.I2E, CPU_SESSION, 1);
    }
    action remember(bit<32> index, bit<32> value) {
        seen.write(index, value);
    }
    action set_tos(bit<8> tos) {
        hdr.ipv4.tos = tos;
    }
    action meter_color() {
        acl_meter.read(meta.color);
    }
    action learn() {
        digest<learn_t>(1, { hdr.ethernet.src, standard.ingress_port });
    }

    table route {
        key = { hdr.ipv4.dst: lpm; }
        actions = { forward; multicast; to_cpu; drop; @defaultonly NoAction; }
        size = 64;
        default_action = NoAction();
        counters = route_counter;
    }
    table acl {
        key = {
            hdr.ipv4.src: ternary;
            hdr.ipv4.protocol: range;
            hdr.ethernet.type: optional;
        }
        actions = { drop; clone_to_cpu; remember; meter_color; NoAction; }
        size = 32;
        default_action = NoAction();
        meters = acl_meter;
    }
    table source {
        key = { hdr.ethernet.src: exact; }
        actions = { learn; NoAction; }
        size = 16;
        const default_action = learn();
        support_timeout = true;
    }
    table hops {
        key = { hdr.ipv4.dst: exact; hdr.ipv4.src: selector; hdr.ipv4.protocol: selector; }
        actions = { forward; drop; NoAction; }
        size = 16;
        implementation = hop_selector;
    }
    table marks {
        key = { hdr.ipv4.protocol: exact; }
        actions = { set_tos; NoAction; }
        size = 16;
        implementation = mark_profile;
    }
    table fixed {
        key = { hdr.ethernet.type: exact; }
        actions = { drop; NoAction; }
        const entries = {
            0x86dd: drop();
            0x0806: NoAction();
        }
    }

    table ranked {
        key = { hdr.ethernet.type: ternary; }
        actions = { drop; NoAction; }
        const entries = {
            0x1000 &&& 0xf000: NoAction();
            0x2000 &&& 0xf000: drop();
            _: NoAction();
        }
    }

    apply {
        if (hdr.packet_out.isValid()) {
            standard.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else {
            port_counter.count((bit<32>) standard.ingress_port);
            port_meter.execute_meter<bit<2>>((bit<32>) standard.ingress_port, meta.color);
            if (hdr.ethernet.type == TYPE_LEARN) {
                source.apply();
            }
            if (meta.special == 1) {
                to_cpu(42);
            }
            fixed.apply();
            ranked.apply();
            if (hdr.ipv4.isValid()) {
                route.apply();
                hops.apply();
                marks.apply();
                acl.apply();
            }
            signed_cells.write(0, -1);
        }
    }
}

control the_egress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.instance_type == 1) {
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = meta.clone_port;
            hdr.packet_in.reason = 1;
            hdr.packet_in.stamp = (bit<32>) standard.packet_length;
        }
    }
}

control the_deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.packet_out);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(the_parser(), no_checksum(), the_ingress(), the_egress(), no_checksum(), the_deparser()) main;
