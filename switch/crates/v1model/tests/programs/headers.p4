// Stacks, unions, variable-length headers, lookahead, advance, and arithmetic of all kinds. The first byte chooses one.
#include <core.p4>
#include <v1model.p4>

header op_t {
    bit<8> op;
}

// In front of each packet that comes out: the parser's error and a result.
header result_t {
    bit<8>  code;
    bit<8>  extra;
    bit<64> value;
}

header item_t {
    bit<1> last;
    bit<7> value;
}

header options_t {
    bit<8> bytes;
    varbit<64> data;
}

header short_t {
    bit<8> tag;
    bit<8> value;
}

header long_t {
    bit<8>  tag;
    bit<24> value;
}

header numbers_t {
    bit<8>   a;
    bit<8>   b;
    int<8>   c;
    int<8>   d;
    bit<64>  e;
    bit<128> f;
}

header_union choice_t {
    short_t small;
    long_t  large;
}

struct headers_t {
    op_t      op;
    result_t  result;
    item_t[3] items;
    options_t options;
    options_t copy;
    choice_t  choice;
    numbers_t numbers;
}

struct metadata_t {
    bit<16> ahead;
}

error {
    Refused
}

parser HeadersParser(packet_in packet, out headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    state start {
        packet.extract(headers.op);
        transition select(headers.op.op) {
            1: item;
            2: options;
            3: choice;
            4: ahead;
            5: skip;
            6: numbers;
            7: refuse;
            8 &&& 0x0f: accept;
        }
    }
    state item {
        packet.extract(headers.items.next);
        transition select(headers.items.last.last) {
            1: accept;
            default: item;
        }
    }
    state options {
        bit<8> bytes = packet.lookahead<bit<8>>();
        packet.extract(headers.options, (bit<32>) bytes * 8);
        transition accept;
    }
    state choice {
        transition select(packet.lookahead<bit<8>>()) {
            1: small;
            2: large;
            default: reject;
        }
    }
    state small {
        packet.extract(headers.choice.small);
        transition accept;
    }
    state large {
        packet.extract(headers.choice.large);
        transition accept;
    }
    state ahead {
        metadata.ahead = packet.lookahead<bit<16>>();
        transition accept;
    }
    state skip {
        packet.advance(16);
        transition accept;
    }
    state numbers {
        packet.extract(headers.numbers);
        transition accept;
    }
    state refuse {
        verify(false, error.Refused);
        transition accept;
    }
}

control Check(inout headers_t headers, inout metadata_t metadata) {
    apply {
    }
}

control Act(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        headers.result.setValid();
        headers.result.code = 0;
        headers.result.extra = 0;
        headers.result.value = 0;
        if (standard.parser_error == error.PacketTooShort) {
            headers.result.code = 1;
        } else if (standard.parser_error == error.NoMatch) {
            headers.result.code = 2;
        } else if (standard.parser_error == error.StackOutOfBounds) {
            headers.result.code = 3;
        } else if (standard.parser_error == error.HeaderTooShort) {
            headers.result.code = 4;
        } else if (standard.parser_error == error.Refused) {
            headers.result.code = 5;
        } else if (standard.parser_error != error.NoError) {
            headers.result.code = 255;
        }
        if (headers.op.op == 1) {
            headers.items.pop_front(1);
            if (headers.items[0].isValid()) {
                headers.result.extra = (bit<8>) headers.items[0].value;
            }
        } else if (headers.op.op == 2) {
            headers.copy = headers.options;
            headers.copy.bytes = 0xff;
        } else if (headers.op.op == 3) {
            if (headers.choice.large.isValid()) {
                headers.choice.small.setValid();
                headers.choice.small.tag = 9;
                headers.choice.small.value = headers.choice.large.value[7:0];
            } else if (headers.choice.small.isValid()) {
                headers.choice.large.setValid();
                headers.choice.large.tag = 8;
                headers.choice.large.value = 0x123456;
            }
        } else if (headers.op.op == 4) {
            headers.result.value = (bit<64>) metadata.ahead;
        } else if (headers.op.op == 6) {
            numbers_t n = headers.numbers;
            headers.numbers.a = n.a |+| n.b;
            headers.numbers.b = n.a |-| n.b;
            headers.numbers.c = n.c |+| n.d;
            headers.numbers.d = n.c >> 1;
            headers.numbers.e = n.e |+| (bit<64>) n.a;
            headers.numbers.f = (n.f << 8) ^ ((bit<128>) n.a ++ 64w0)[127:0];
            headers.result.value = ((n.e * n.e) >> 4) + (bit<64>) (bit<8>) (n.c - n.d);
            if (n.c < n.d) {
                headers.result.extra = 1;
            }
            if (n.f > 128w0x80000000000000000000000000000000) {
                headers.result.extra = headers.result.extra | 2;
            }
        }
    }
}

control Leave(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    apply {
    }
}

control Update(inout headers_t headers, inout metadata_t metadata) {
    apply {
    }
}

control Write(packet_out packet, in headers_t headers) {
    apply {
        packet.emit(headers.result);
        packet.emit(headers.op);
        packet.emit(headers.items);
        packet.emit(headers.options);
        packet.emit(headers.copy);
        packet.emit(headers.choice);
        packet.emit(headers.numbers);
    }
}

V1Switch(HeadersParser(), Check(), Act(), Leave(), Update(), Write()) main;
