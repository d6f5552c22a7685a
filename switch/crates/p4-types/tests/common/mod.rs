//! Checking small programs.

use p4_syntax::{Diagnostics, Options, SourceMap, parse_text};
use p4_types::typed::Program;

/// The typed program, if it is right, and the messages.
pub fn check(text: &str) -> (Option<Program>, String) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let tree = parse_text("t.p4", text, &Options::default(), &mut sources, &mut diagnostics);
    let program = p4_types::check(&tree, &mut diagnostics);
    (program, diagnostics.render(&sources))
}

/// The typed program; warnings are allowed.
#[allow(dead_code)]
pub fn accepted(text: &str) -> Program {
    let (program, messages) = check(text);
    program.unwrap_or_else(|| panic!("{text}\n{messages}"))
}

/// The program must be refused with this message.
#[allow(dead_code)]
pub fn refused(text: &str, message: &str) {
    let (program, messages) = check(text);
    assert!(program.is_none(), "accepted: {text}");
    assert!(messages.contains(message), "expected '{message}' for {text}\n{messages}");
}

/// Statements in a control with a few things to use.
#[allow(dead_code)]
pub fn in_control(statements: &str) -> String {
    format!(
        "#include <core.p4>
enum E {{ a, b }}
enum bit<8> F {{ one = 1, two = 2 }}
type bit<9> Port;
header H {{ bit<8> f; bit<16> g; }}
header_union U {{ H one; H two; }}
struct S {{ bit<8> a; bit<16> b; }}
struct All {{ H h; H[3] s; U u; S st; tuple<bit<8>, bool> t; E e; F f; Port p; bit<8> x; int<8> y; bool b; error er; }}
extern X<T> {{ X(bit<32> n); T get(in T i); void put(in bit<8> a, @optional in bit<8> b); void put(in bool c, in bool d, in bool e); }}
extern T id<T>(in T v);
extern void out_of<T>(out T v, in bit<8> n = 3);
bit<8> twice(in bit<8> v) {{ return v + v; }}
control other(inout bit<8> v)(bit<8> n) {{ apply {{ v = v + n; }} }}
control plain(inout bit<8> v) {{ apply {{ }} }}
control c(inout All v, in bit<8> ro) {{
  X<bit<8>>(4) obj;
  other(3) inst;
  action act(inout bit<8> d, bit<8> data) {{ d = data; }}
  table t {{ key = {{ v.x: exact; }} actions = {{ act(v.x); NoAction; }} default_action = NoAction; }}
  apply {{ {statements} }}
}}
"
    )
}
