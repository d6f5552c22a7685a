//! The meaning of a program does not depend on its layout. A division that may be refused is refused, or computed
//! right.

use fuzz_targets::semantics::{DIFFERENT, check, check_layouts};

/// A program with these macros, and this in its ingress.
fn program(macros: &str, ingress: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
{macros}header b_t {{
bit<8> x;
bit<8> y;
}}
struct headers_t {{
b_t p;
}}
struct meta_t {{ }}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
state start {{
packet.extract(hdr.p);
transition accept;
}}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
apply {{
std.egress_spec = 1;
{ingress}
}}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{ apply {{ }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    )
}

#[test]
fn layouts_do_not_matter() {
    let ingress = "bit<8> half;\nhalf = hdr.p.x / 2;\nhdr.p.y = half;\nif (hdr.p.isValid()) {\nhdr.p.x = 1;\n}";
    if let Err(what) = check_layouts(&program("", ingress), 0..60) {
        panic!("{what}");
    }
}

/// Macros as the generator has them; `compiled` stands in the compiled program instead of a division.
fn division(compiled: &str) -> String {
    let macros = format!(
        "#define MAY_BE_REFUSED
#ifdef REFERENCE
#define DIVIDE(a, b) (a >> 1)
#else
#define DIVIDE(a, b) {compiled}
#endif
"
    );
    program(&macros, "hdr.p.y = DIVIDE(hdr.p.x, 8w2);")
}

#[test]
fn a_division_that_is_compiled_to_something_else_is_found() {
    assert_eq!(check(&division("(a / b)"), 1), Ok(()));
    assert_eq!(check(&division("(a / (b | hdr.p.x))"), 1), Ok(()), "it is refused");
    let found = check(&division("(a)"), 1);
    assert!(found.as_ref().is_err_and(|what| what.starts_with(DIFFERENT)), "{found:?}");
}

#[test]
fn a_refusal_of_what_must_not_be_refused_is_found() {
    let source = division("(a / (b | hdr.p.x))").replace("#define MAY_BE_REFUSED\n", "");
    assert!(check(&source, 1).is_err());
}
