// One header whose first byte chooses the operation: a test of everything v1model has beside forwarding.
#include <core.p4>
#include <v1model.p4>

header request_t {
    bit<8>  op;
    bit<8>  index;
    bit<16> a;
    bit<32> b;
    bit<64> c;
}

header mark_t {
    bit<8>  instance_type;
    bit<8>  rid;
    bit<16> packet_length;
    bit<8>  kept;
    bit<8>  lost;
}

struct headers_t {
    mark_t mark;
    request_t request;
}

#define KEEP 1

struct metadata_t {
    @field_list(KEEP) bit<8> kept;
    bit<8> lost;
    bit<8> color;
    @field_list(KEEP) bit<1> again;
}

struct digest_t {
    bit<16> a;
    bit<64> c;
    bit<9>  port;
}

parser FeaturesParser(packet_in packet, out headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    value_set<bit<8>>(4) refused;
    state start {
        packet.extract(headers.request);
        transition select(headers.request.op) {
            refused: reject_it;
            default: accept;
        }
    }
    state reject_it {
        verify(false, error.ParserInvalidArgument);
        transition accept;
    }
}

control Check(inout headers_t headers, inout metadata_t metadata) {
    apply {
    }
}

control Act(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    counter(4, CounterType.packets_and_bytes) counts;
    meter(2, MeterType.packets) limits;
    register<bit<48>>(8) cells;
    direct_meter<bit<8>>(MeterType.bytes) each;
    direct_counter(CounterType.packets) hits;
    action_selector(HashAlgorithm.identity, 16, 16) choices;

    action to(bit<9> port) {
        standard.egress_spec = port;
    }
    action drop() {
        mark_to_drop(standard);
    }
    action counted(bit<9> port) {
        hits.count();
        standard.egress_spec = port;
    }
    action limited(bit<9> port) {
        each.read(metadata.color);
        standard.egress_spec = port;
    }

    table exactly {
        key = { headers.request.a: exact; headers.request.index: exact; }
        actions = { counted; drop; }
        default_action = drop();
        counters = hits;
        support_timeout = true;
        size = 4;
    }
    table masked {
        key = { headers.request.b: ternary; headers.request.index: range; headers.request.a: optional; }
        actions = { to; drop; }
        default_action = drop();
    }
    table metered {
        key = { headers.request.a: lpm; }
        actions = { limited; drop; }
        const default_action = drop();
        meters = each;
    }
    table chosen {
        key = { headers.request.a: exact; headers.request.b: selector; }
        actions = { to; drop; }
        implementation = choices;
    }
    table fixed {
        key = { headers.request.index: exact; }
        actions = { to; drop; }
        const default_action = drop();
        const entries = {
            1 : to(11);
            2 : to(12);
        }
    }
    apply {
        metadata.kept = headers.request.index;
        metadata.lost = headers.request.index;
        if (standard.parser_error != error.NoError) {
            standard.egress_spec = 9;
        } else if (headers.request.op == 1) {
            exactly.apply();
        } else if (headers.request.op == 2) {
            masked.apply();
        } else if (headers.request.op == 3) {
            metered.apply();
            headers.request.index = metadata.color;
        } else if (headers.request.op == 4) {
            chosen.apply();
        } else if (headers.request.op == 5) {
            fixed.apply();
        } else if (headers.request.op == 6) {
            counts.count((bit<32>) headers.request.index);
            limits.execute_meter((bit<32>) headers.request.index, metadata.color);
            headers.request.index = metadata.color;
            standard.egress_spec = 1;
        } else if (headers.request.op == 7) {
            bit<48> value;
            cells.read(value, (bit<32>) headers.request.index);
            cells.write((bit<32>) headers.request.index, value + (bit<48>) headers.request.b);
            headers.request.c = (bit<64>) value;
            standard.egress_spec = 1;
        } else if (headers.request.op == 8) {
            digest<digest_t>(1, { headers.request.a, headers.request.c, standard.ingress_port });
            drop();
        } else if (headers.request.op == 9) {
            clone_preserving_field_list(CloneType.I2E, (bit<32>) headers.request.index, KEEP);
            headers.request.c = 0;
            standard.egress_spec = 1;
        } else if (headers.request.op == 10) {
            if (metadata.again == 0) {
                metadata.again = 1;
                resubmit_preserving_field_list(KEEP);
            } else {
                standard.egress_spec = 1;
            }
        } else if (headers.request.op == 11) {
            standard.mcast_grp = headers.request.a;
        } else if (headers.request.op == 12) {
            random(headers.request.b, 10, 20);
            standard.egress_spec = 1;
        } else if (headers.request.op == 13) {
            hash(headers.request.b, HashAlgorithm.crc32, 32w100, { headers.request.a, headers.request.c }, 32w1000);
            standard.egress_spec = 1;
        } else if (headers.request.op == 14) {
            assert(headers.request.index != 0);
            standard.egress_spec = 1;
        } else {
            standard.egress_spec = 1;
        }
    }
}

control Leave(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    apply {
        if (headers.request.op == 15 && standard.instance_type != 4) {
            recirculate_preserving_field_list(KEEP);
        } else if (headers.request.op == 16 && standard.instance_type == 0) {
            clone_preserving_field_list(CloneType.E2E, 5, KEEP);
            headers.request.c = 7;
        } else if (headers.request.op == 17) {
            truncate(8);
        } else if (headers.request.op == 18) {
            mark_to_drop(standard);
        }
        if (headers.request.op != 17 && !headers.mark.isValid()) {
            headers.mark.setValid();
            headers.mark.instance_type = (bit<8>) standard.instance_type;
            headers.mark.rid = (bit<8>) standard.egress_rid;
            headers.mark.packet_length = (bit<16>) standard.packet_length;
            headers.mark.kept = metadata.kept;
            headers.mark.lost = metadata.lost;
        }
    }
}

control Update(inout headers_t headers, inout metadata_t metadata) {
    apply {
    }
}

control Write(packet_out packet, in headers_t headers) {
    apply {
        packet.emit(headers);
    }
}

V1Switch(FeaturesParser(), Check(), Act(), Leave(), Update(), Write()) main;
