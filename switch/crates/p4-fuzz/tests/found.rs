//! What the comparison has found, and must not find again.

use p4_fuzz::compare::check;

/// A program whose parser and ingress are these.
fn program(parser: &str, ingress: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> v; }}
struct pair_t {{ bit<8> a; bit<8> b; }}
struct headers_t {{ b_t p; b_t q; b_t r; }}
struct meta_t {{ pair_t x; pair_t y; }}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{parser}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{ingress}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{ apply {{ }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    )
}

fn agrees(source: &str) {
    if let Err(what) = check(source, 1) {
        panic!("{what}");
    }
}

/// BMv2's default transition is the last wherever it stands; a `select` goes through its cases in order.
#[test]
fn cases_behind_one_that_takes_everything() {
    for everything in ["_", "8w3 &&& 8w0", "default"] {
        let parser = format!(
            "state start {{ packet.extract(hdr.p);
                transition select(hdr.p.v) {{ 8w0: two; {everything}: one; 8w255: two; default: accept; }} }}
            state one {{ packet.extract(hdr.q); transition accept; }}
            state two {{ packet.extract(hdr.r); transition accept; }}"
        );
        agrees(&program(&parser, "apply { std.egress_spec = 1; hdr.q.setInvalid(); }"));
    }
}
