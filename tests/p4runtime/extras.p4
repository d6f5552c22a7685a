/* Features that testbed.p4 has no room for: entries that come with the program and can be changed, single-rate meters, value sets
   of several fields, registers and digests of translated types. See test_extras.py. */
#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("", string)
@p4runtime_translation_mappings({{"uplink", 1}})
type bit<9> port_name_t;

@p4runtime_translation("", 32)
type bit<9> wide_port_t;

header request_t {
    bit<8> kind;
    bit<8> color;
    bit<16> value;
}

struct headers_t {
    request_t request;
}

struct range_t {
    bit<8> kind;
    @match(range)
    bit<16> value;
}

struct seen_t {
    port_name_t name;
    wide_port_t wide;
    bit<8> kind;
}

struct meta_t {
    bit<2> color;
}

parser the_parser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    value_set<range_t>(4) refused;

    state start {
        packet.extract(hdr.request);
        transition select(hdr.request.kind, hdr.request.value) {
            refused: refuse;
            default: accept;
        }
    }
    state refuse {
        verify(false, error.ParserInvalidArgument);
        transition accept;
    }
}

control no_checksum(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control the_ingress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    @single_rate_three_color
    meter(4, MeterType.packets) limits;
    register<port_name_t>(2) last_name;
    register<wide_port_t>(2) last_wide;
    @single_rate_two_color
    direct_meter<bit<2>>(MeterType.packets) each;

    action drop() {
        mark_to_drop(standard);
    }
    action forward(bit<9> port) {
        standard.egress_spec = port;
    }
    action measured(bit<9> port) {
        each.read(meta.color);
        standard.egress_spec = port;
    }
    table ranked {
        key = { hdr.request.kind: ternary; }
        actions = { forward; drop; }
        size = 8;
        default_action = drop();
        entries = {
            1: forward(1);
            2 &&& 0x0f: forward(1);
            _: forward(2);
        }
    }
    table plain {
        key = { hdr.request.value: exact; }
        actions = { measured; drop; NoAction; }
        size = 8;
        default_action = NoAction();
        meters = each;
    }
    apply {
        if (standard.parser_error != error.NoError) {
            drop();
        } else {
            last_name.write(0, (port_name_t) standard.ingress_port);
            last_wide.write(0, (wide_port_t) standard.ingress_port);
            digest<seen_t>(1, { (port_name_t) standard.ingress_port, (wide_port_t) standard.ingress_port, hdr.request.kind });
            limits.execute_meter<bit<2>>(1, meta.color);
            ranked.apply();
            plain.apply();
            hdr.request.color = (bit<8>) meta.color;
        }
    }
}

control the_egress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { }
}

control the_deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.request);
    }
}

V1Switch(the_parser(), no_checksum(), the_ingress(), the_egress(), no_checksum(), the_deparser()) main;
