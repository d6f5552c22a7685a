//! Compiled programs load: tables of every kind of key and entry, of unusual sizes, and with objects that are shared,
//! wrong or never used. The compiler refuses such a program at a line of it, or the switch loads the compiled program.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4c_driver::compile::{self, Settings, Verdict};
use v1model::Program;

/// A program with these declarations and this code in ingress, and these in egress.
fn program(ingress: (&str, &str), egress: (&str, &str)) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
enum Colour {{ Red, Green }}
enum bit<8> Code {{ None = 0, Some = 1 }}
type bit<9> port_t;
header b_t {{ bit<8> a; bit<64> b; bit<128> c; bit<1024> d; bit<2048> e; int<8> f; bit<7> g; bool h; Code i; port_t j; bit<7> k; }}
header x_t {{ bit<8> x; }}
header v_t {{ varbit<32> data; }}
header_union u_t {{ x_t one; b_t two; }}
struct H {{ b_t b; x_t[4] s; u_t u; v_t v; }}
struct M {{ bool flag; Colour colour; error problem; bit<8> x; bit<2> mark; tuple<bit<8>> pair; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ state start {{ p.extract(h.b); transition accept; }} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    action to(bit<9> port) {{ s.egress_spec = port; }}
    action stop() {{ mark_to_drop(s); }}
    {}
    apply {{ {} }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{
    action mark(bit<8> value) {{ m.x = value; }}
    {}
    apply {{ {} }}
}}
control D(packet_out p, in H h) {{ apply {{ p.emit(h.b); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
",
        ingress.0, ingress.1, egress.0, egress.1
    )
}

/// How many programs were compiled and refused.
#[derive(Default)]
struct Tried {
    compiled: usize,
    refused: usize,
    wrong: Vec<String>,
}

impl Tried {
    /// Compiles a program, loads what comes of it; whether it was compiled.
    fn look(&mut self, what: &str, text: &str) -> bool {
        let compilation = compile::text("t.p4", text, &Settings::default());
        match compilation.verdict {
            Verdict::Compiled(program) => {
                self.compiled += 1;
                if let Err(why) = Program::from_json(&p4_bmv2::json::program(&program).to_string()) {
                    self.wrong.push(format!("{what}: {why}"));
                }
                true
            }
            _ => {
                self.refused += 1;
                if !compilation.messages.starts_with("t.p4(") {
                    self.wrong.push(format!("{what}: {}", compilation.messages));
                }
                false
            }
        }
    }

    #[track_caller]
    fn end(self, compiled_at_least: usize) {
        let Tried { compiled, refused, wrong } = self;
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), compiled + refused, wrong.join("\n"));
        assert!(compiled >= compiled_at_least, "{compiled} compiled, {refused} refused");
    }
}

/// Keys with values of two entries.
const KEYS: [(&str, &str, &str); 24] = [
    ("h.b.a", "1", "2"),
    ("h.b.b", "0xffffffffffffffff", "0"),
    ("h.b.c", "1", "0xffffffffffffffffffffffffffffffff"),
    ("h.b.d", "1", "2"),
    ("h.b.e", "1", "2"),
    ("h.b.f", "-1", "127"),
    ("h.b.g", "1", "127"),
    ("h.b.h", "true", "false"),
    ("h.b.i", "Code.None", "Code.Some"),
    ("h.b.j", "(port_t) 1", "(port_t) 511"),
    ("m.flag", "true", "false"),
    ("m.colour", "Colour.Red", "Colour.Green"),
    ("m.problem", "error.NoError", "error.NoMatch"),
    ("h.b.isValid()", "true", "false"),
    ("h.s[1].x", "1", "2"),
    ("h.s[m.x].x", "1", "2"),
    ("h.u.one.x", "1", "2"),
    ("h.u.one.isValid()", "true", "false"),
    ("h.v.data", "1", "2"),
    ("h.b.a[3:0]", "1", "2"),
    ("h.b.a + 1", "1", "2"),
    ("h.b.a & 0x0f", "1", "0x11"),
    ("h.b.a ++ h.b.b", "1", "2"),
    ("s.ingress_port", "1", "511"),
];
const KINDS: [&str; 5] = ["exact", "lpm", "ternary", "range", "optional"];

#[test]
fn keys_of_all_kinds_and_types() {
    let mut tried = Tried::default();
    for (key, one, two) in KEYS {
        for kind in KINDS {
            let entry = |value: &str| format!("{value}: to(1);");
            let mut lists = vec![
                String::new(),
                entry(one),
                entry(one) + &entry(two),
                entry(one) + &entry(one),
                entry("_"),
                entry("_") + &entry("_"),
            ];
            if kind == "range" {
                lists.extend([entry(&format!("{one}..{two}")), entry(&format!("{two}..{one}"))]);
            }
            if matches!(kind, "ternary" | "lpm") {
                let masked = |value: &str, mask: &str| entry(&format!("{value} &&& {mask}"));
                lists.extend([
                    masked(one, "0"),
                    masked(one, "0x0f"),
                    masked(one, "3") + &masked(two, "3"),
                    masked(one, "0") + &masked(two, "0"),
                ]);
            }
            for list in lists {
                for property in ["const entries", "entries"] {
                    let entries = if list.is_empty() { String::new() } else { format!("{property} = {{ {list} }}") };
                    let table = format!(
                        "table t {{ key = {{ {key}: {kind}; }} actions = {{ to; stop; }} default_action = stop(); {entries} }}"
                    );
                    let text = program((&table, "t.apply();"), ("", ""));
                    tried.look(&format!("{key}: {kind}, {entries}"), &text);
                }
            }
        }
    }
    tried.end(500);
}

#[test]
fn long_keys() {
    let mut tried = Tried::default();
    for (kind, most) in [("exact", 1 << 14), ("ternary", 1 << 14), ("lpm", 1 << 10)] {
        for bits in [1024, 2048, 4096, 16384, 17408, 32768] {
            let exact = "h.b.d: exact; ".repeat(bits / 1024 - 1);
            let table =
                format!("table t {{ key = {{ {exact} h.b.d: {kind}; }} actions = {{ to; }} default_action = to(1); }}");
            let compiled = tried.look(&format!("{bits} bits, {kind}"), &program((&table, "t.apply();"), ("", "")));
            assert_eq!(compiled, bits <= most, "{bits} bits, {kind}");
        }
    }
    tried.end(3);
}

#[test]
fn sizes_and_priorities() {
    let mut tried = Tried::default();
    let table = |properties: &str| {
        let table = format!(
            "table t {{ key = {{ h.b.a: ternary; }} actions = {{ to; stop; }} default_action = stop(); {properties} }}"
        );
        program((&table, "t.apply();"), ("", ""))
    };
    for size in ["0", "1", "65536", "4294967295", "4294967296", "18446744073709551616", "-1", "1 << 40", "32w7", "true"]
    {
        tried.look(&format!("size {size}"), &table(&format!("size = {size};")));
        tried.look(
            &format!("size {size} with entries"),
            &table(&format!("size = {size}; entries = {{ 1: to(1); 2: to(2); }}")),
        );
    }
    for priority in ["0", "1", "2147483647", "2147483648", "4294967296", "18446744073709551616", "-1"] {
        tried.look(
            &format!("priority {priority}"),
            &table(&format!("entries = {{ priority = {priority}: 1: to(1); 2: to(2); }}")),
        );
        tried.look(
            &format!("@priority({priority})"),
            &table(&format!("const entries = {{ 1: to(1) @priority({priority}); 2: to(2); }}")),
        );
    }
    for more in [
        "largest_priority_wins = false; entries = { priority = 1: 1: to(1); priority = 1: 2: to(2); }",
        "priority_delta = 10; entries = { 1: to(1); 2: to(2); }",
        "entries = { priority = 5: 1: to(1); priority = 5: 1: to(2); }",
        "entries = { const 1: to(1); 1: to(2); }",
        "const entries = { 1: to(1); 1: to(2); }",
        "entries = { }",
        "const entries = { }",
        "support_timeout = 1;",
        "support_timeout = false;",
        "nonsense = 1;",
    ] {
        tried.look(more, &table(more));
    }
    tried.end(20);
}

#[test]
fn objects_that_are_shared_wrong_or_unused() {
    let mut tried = Tried::default();
    let objects = [
        "",
        "direct_counter(CounterType.packets) o;",
        "counter(4, CounterType.packets) o;",
        "direct_meter<bit<2>>(MeterType.packets) o;",
        "direct_meter<bit<128>>(MeterType.bytes) o;",
        "meter(4, MeterType.packets) o;",
        "register<bit<8>>(4) o;",
        "action_profile(4) o;",
        "action_profile(0) o;",
        "action_profile(4294967295) o;",
        "action_selector(HashAlgorithm.crc16, 4, 16) o;",
        "action_selector(HashAlgorithm.identity, 0, 0) o;",
        "action_selector(HashAlgorithm.crc32, 4, 64) o;",
        "action_selector(HashAlgorithm.random, 4, 4) o;",
    ];
    let properties = [
        "",
        "implementation = o;",
        "counters = o;",
        "meters = o;",
        "counters = o; meters = o;",
        "implementation = o; counters = o;",
    ];
    for object in objects {
        for property in properties {
            if object.is_empty() && !property.is_empty() {
                continue;
            }
            let selector = if object.contains("selector") && property.contains("implementation") {
                "h.b.b: selector;"
            } else {
                ""
            };
            let table = |name: &str, actions: &str, key: &str| {
                format!(
                    "table {name} {{ key = {{ h.b.a: {key}; {selector} }} actions = {{ {actions} }} default_action = stop(); {property} }}"
                )
            };
            let one = table("t", "to; stop;", "exact");
            for (other, code) in [
                (String::new(), "t.apply();"),
                (String::new(), ""),
                (table("u", "to; stop;", "lpm"), "t.apply(); u.apply();"),
                (table("u", "stop;", "ternary"), "t.apply(); u.apply();"),
                (table("u", "to; stop;", "exact"), "t.apply();"),
                (String::new(), "if (t.apply().hit) { stop(); }"),
                (String::new(), "if (m.flag) { t.apply(); } else { t.apply(); }"),
            ] {
                let declared = format!("{object} {one} {other}");
                tried.look(&format!("{declared} {code}"), &program((&declared, code), ("", "")));
            }
            // In egress, and in both.
            let egress = format!(
                "{object} table t {{ key = {{ h.b.a: exact; {selector} }} actions = {{ mark; }} default_action = mark(1); {property} }}"
            );
            tried.look(&egress, &program(("", ""), (&egress, "t.apply();")));
            let declared = format!("{object} {one}");
            tried.look(&format!("{declared} {egress}"), &program((&declared, "t.apply();"), (&egress, "t.apply();")));
        }
    }
    for in_place in [
        "implementation = action_profile(4);",
        "implementation = action_selector(HashAlgorithm.crc16, 4, 16);",
        "counters = direct_counter(CounterType.bytes);",
        "counters = counter(4, CounterType.bytes);",
        "meters = direct_meter<bit<2>>(MeterType.bytes);",
        "implementation = action_profile(4); counters = direct_counter(CounterType.bytes); support_timeout = true;",
        "@name(\"same\") implementation = action_profile(4); @name(\"same\") counters = direct_counter(CounterType.bytes);",
    ] {
        let table = |name: &str| {
            format!(
                "table {name} {{ key = {{ h.b.a: exact; h.b.b: selector; }} actions = {{ to; stop; }} default_action = stop(); {in_place} }}"
            )
        };
        let declared = format!("{} {}", table("t"), table("u"));
        tried.look(in_place, &program((&table("t"), "t.apply();"), ("", "")));
        tried.look(in_place, &program((&declared, "t.apply(); u.apply();"), ("", "")));
    }
    tried.end(100);
}
