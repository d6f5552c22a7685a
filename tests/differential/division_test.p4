// Divides what a frame asks for: to test division.p4 on its own.
#include <core.p4>
#include <v1model.p4>
#include "../../p4src/division.p4"

header question_t {
    bit<64> dividend;
    bit<32> divisor;
    bit<64> quotient;
    bit<32> remainder;
}

struct headers_t { question_t question; }
struct metadata_t { }

parser TestParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.question);
        transition accept;
    }
}

control TestChecksum(inout headers_t hdr, inout metadata_t meta) { apply { } }

control TestIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Division() divide;
    apply {
        divide.apply(hdr.question.dividend, hdr.question.divisor, hdr.question.quotient, hdr.question.remainder);
        standard_metadata.egress_spec = standard_metadata.ingress_port;
    }
}

control TestEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) { apply { } }

control TestDeparser(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr.question); }
}

V1Switch(TestParser(), TestChecksum(), TestIngress(), TestEgress(), TestChecksum(), TestDeparser()) main;
