//! Warnings: parts without a use, and variables that are read before they have a value.

use p4_syntax::{Diagnostics, Options, SourceMap, parse_text};

/// The warnings about a program without errors, in the order of their places.
fn warnings(text: &str) -> Vec<String> {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let tree = parse_text("t.p4", text, &Options::default(), &mut sources, &mut diagnostics);
    let Some(program) = p4_types::check(&tree, &mut diagnostics) else {
        panic!("{text}\n{}", diagnostics.render(&sources));
    };
    p4_types::warnings::warn(&program, &mut diagnostics);
    diagnostics.sorted().iter().map(|item| item.message.clone()).collect()
}

/// A control with declarations and statements, and the declarations that they may use.
fn control(locals: &str, body: &str) -> String {
    format!(
        "#include <v1model.p4>
header H {{ bit<8> f; }}
struct S {{ bit<8> f; H h; H[2] s; bool b; }}
extern bit<8> draw(out bit<8> x);
void set(out bit<8> x) {{ x = 1; }}
void raise(inout bit<8> x) {{ x = x + 1; }}
bit<8> next(in bit<8> x) {{ return x + 1; }}
control inner(inout bit<8> x, out bit<8> y) {{ apply {{ y = x; }} }}
control c(inout S v, inout bit<8> w) {{ {locals} apply {{ {body} }} }}
"
    )
}

fn parser(locals: &str, states: &str) -> String {
    format!(
        "#include <core.p4>
header H {{ bit<8> f; }}
struct S {{ H h; H[3] s; }}
parser p(packet_in b, out S v, inout bit<8> w) {{ {locals} {states} }}
"
    )
}

#[track_caller]
fn warns(text: &str, expected: &[&str]) {
    assert_eq!(warnings(text), expected, "{text}");
}

#[track_caller]
fn is_silent(text: &str) {
    warns(text, &[]);
}

const TABLE: &str = "action a() { v.f = 1; } table t { key = { v.f: exact; } actions = { a; NoAction; } }";

#[test]
fn tables() {
    warns(&control(TABLE, ""), &["table 't' is never applied"]);
    for body in [
        "t.apply();",
        "if (t.apply().hit) { v.f = 2; }",
        "if (v.b && t.apply().miss) { v.f = 2; }",
        "if (false && t.apply().hit) { v.f = 2; }",
        "switch (t.apply().action_run) { a: { v.f = 2; } }",
    ] {
        is_silent(&control(TABLE, body));
    }
    is_silent(&control(&TABLE.replace("table", "@hidden table"), ""));
    is_silent(&control(&TABLE.replace("table", "@noWarn(\"unused\") table"), ""));
    warns(
        &control(&TABLE.replace("table", "@noWarn(\"uninitialized_use\") table"), ""),
        &["table 't' is never applied"],
    );
    is_silent(&control(TABLE, "").replace("control c", "@noWarn(\"unused\") control c"));
}

#[test]
fn actions() {
    let message = "action 'a' is in no table and never called";
    warns(&control("action a() { v.f = 1; }", ""), &[message]);
    warns(&control("action b() { v.f = 1; } action a() { b(); }", ""), &[message]);
    is_silent(&control("action a() { v.f = 1; }", "a();"));
    is_silent(&control("action a() { v.f = 1; } action b() { a(); }", "b();"));
    is_silent(&control("action a() { } table t { actions = { @defaultonly a; } default_action = a(); }", "t.apply();"));
    is_silent(&control("@hidden action a() { v.f = 1; }", ""));
    is_silent(&control("@noWarn(\"unused\") action a() { v.f = 1; }", ""));
    // Without `main` the file may be there for others to include.
    is_silent("action a() { }");
    let program = "control K(); package P(K k); action a() { } control c() { apply { } } P(c()) main;";
    warns(program, &[message]);
    // A default action that is not written down.
    let text = "action NoAction() { } control K(); package P(K k); \
        control c() { action b() { } table t { actions = { b; } } apply { t.apply(); } } P(c()) main;";
    is_silent(text);
}

#[test]
fn instances() {
    let message = "'x' is never used";
    warns(&control("register<bit<8>>(4) x;", ""), &[message]);
    warns(&control("counter(4, CounterType.packets) x;", ""), &[message]);
    warns(&control("inner() x;", ""), &[message]);
    is_silent(&control("register<bit<8>>(4) x;", "x.write(0, 1);"));
    is_silent(&control("inner() x;", "x.apply(v.f, w);"));
    is_silent(&control("", "inner.apply(v.f, w);"));
    is_silent(&control("@noWarn(\"unused\") register<bit<8>>(4) x;", ""));
    is_silent(&control(
        "direct_counter(CounterType.packets) x; table t { actions = { NoAction; } counters = x; }",
        "t.apply();",
    ));
    is_silent(&control(
        "table t { actions = { NoAction; } counters = direct_counter(CounterType.bytes); }",
        "t.apply();",
    ));
    is_silent("extern X { X(); abstract void run(); } control c() { X() x = { void run() { } }; apply { } }");
    let top =
        "extern X { X(); void run(); } control K(); package P(K k); X() x; control c() { apply { BODY } } P(c()) main;";
    warns(&top.replace("BODY", ""), &[message]);
    is_silent(&top.replace("BODY", "x.run();"));
}

#[test]
fn variables() {
    let unused = "'x' is never used";
    let unread = "'x' is never read";
    for (locals, body, message) in [
        ("bit<8> x;", "", unused),
        ("bit<8> x = 1;", "", unused),
        ("", "bit<8> x = next(v.f);", unused),
        ("", "{ H x; }", unused),
        ("bit<8> x;", "x = 1;", unread),
        ("bit<8> x = 3;", "if (v.b) { x[3:0] = 1; }", unread),
        ("", "S x; x.h.setValid(); x.h.f = v.f; x.s[0].f = 1;", unread),
        ("register<bit<8>>(4) r;", "bit<8> x; r.read(x, 0);", unread),
        ("", "bit<8> x; random(x, 0, 7);", unread),
        ("action a() { bit<8> x = v.f; }", "a();", unused),
    ] {
        warns(&control(locals, body), &[message]);
    }
    warns("bit<8> f(in bit<8> v) { bit<8> x = v; return v; }", &[unused]);
    warns(&parser("bit<8> x;", "state start { x = w; transition accept; }"), &[unread]);
    warns(&parser("", "state start { bit<8> x = w; transition accept; }"), &[unused]);
    warns(&parser("value_set<bit<8>>(4) x;", "state start { transition accept; }"), &[unused]);
}

#[test]
fn variables_that_are_read() {
    for (locals, body) in [
        ("bit<8> x = 1;", "v.f = x;"),
        ("bit<8> x = 1; action a() { v.f = x; }", "a();"),
        ("bit<8> x = 1; table t { key = { x: exact; } actions = { NoAction; } }", "t.apply();"),
        (
            "bit<8> x = 1; action a(in bit<8> y) { v.f = y; } table t { actions = { a(x); } default_action = a(x); }",
            "t.apply();",
        ),
        ("", "bit<8> x = v.f; raise(x);"),
        // The call is there for something else, the variable because it needs one.
        ("", "bit<8> x; set(x);"),
        ("", "bit<8> x; inner.apply(v.f, x);"),
        ("", "bit<8> x; v.f = draw(x);"),
        // Nothing is left of these uses.
        ("", "H[3] x; v.f = (bit<8>)x.size;"),
        ("", "bool x = v.b; if (false && x) { v.f = 1; }"),
        ("", "bit<8> x = 1; v.f = true ? 8w3 : x;"),
        // A loop that only counts.
        ("", "for (bit<8> x in 0..3) { v.f = v.f + 1; }"),
        ("", "for (bit<8> x = 0; x < 3; x = x + 1) { v.f = v.f + 1; }"),
        ("", "@noWarn(\"unused\") bit<8> x;"),
        ("@noWarn(\"unused\") action a() { bit<8> x = 1; }", "a();"),
        ("@hidden bit<8> x;", ""),
        ("const bit<8> x = 1;", ""),
    ] {
        is_silent(&control(locals, body));
    }
    is_silent(&parser("", "state start { H x; b.extract(x); transition accept; }"));
    is_silent(&parser("", "state start { bit<8> x = w; transition select(x) { 1: accept; } }"));
    is_silent(
        "control c(inout bit<8> a, in bit<8> b, out bit<8> d)(bit<8> e) { action f(bit<8> g) { } apply { f(1); } }",
    );
}

#[test]
fn states() {
    let text = "state start { transition select(w) { 1: two; default: accept; } } state two { transition accept; }
        state three { transition four; } state four { transition three; }";
    warns(&parser("", text), &["state 'three' is never reached", "state 'four' is never reached"]);
    let text = text.replace("state three", "@noWarn(\"unused\") state three");
    warns(&parser("", &text), &["state 'four' is never reached"]);
    is_silent(&parser("", "state two { transition accept; } state start { transition two; }"));
    is_silent(&parser("", "state start { transition select(w) { 1: start; } }"));
}

const EARLY: &str = "'x' may be read before it has a value";

#[test]
fn uninitialized_variables() {
    for (locals, body) in [
        ("bit<8> x;", "v.f = x;"),
        ("bit<8> x;", "v.f = x; x = 1; w = x;"),
        ("", "bit<8> x; x = x + 1; v.f = x;"),
        ("", "bit<8> x; x += 1; v.f = x;"),
        ("", "bool x; if (x) { v.f = 1; }"),
        ("", "error x; if (x == error.NoError) { v.f = 1; }"),
        ("", "bit<8> x; if (v.b) { v.f = x; } else { x = 1; w = x; }"),
        ("", "bit<8> x; raise(x); v.f = x;"),
        ("", "bit<8> x; v.s[x].f = 1;"),
        ("", "bit<8> x; switch (x) { 1: { v.f = 1; } }"),
        ("", "bit<8> x; v.f = next(x);"),
        ("", "bit<8> x; for (bit<8> i in 0..x) { v.f = i; }"),
        ("", "if (v.b) { return; } bit<8> x; v.f = x[3:0] ++ 4w0;"),
        ("", "for (bit<8> i in 0..3) { bit<8> x; v.f = x + i; x = 1; }"),
        ("bit<8> x; table t { key = { x: exact; } actions = { NoAction; } }", "t.apply(); x = 1;"),
        (
            "bit<8> x; action a(in bit<8> y) { v.f = y; } table t { actions = { a(x); } default_action = a(x); }",
            "t.apply();",
        ),
        // Nobody ever writes it.
        ("bit<8> x; action a() { v.f = x; }", "a();"),
        ("action a(out bit<8> x) { v.f = x; x = 1; }", "a(w);"),
        ("action a() { bit<8> x; v.f = x; }", "a();"),
    ] {
        warns(&control(locals, body), &[EARLY]);
    }
    warns("bit<8> f() { bit<8> x; return x; }", &[EARLY]);
    warns("void f(out bit<8> x, out bit<8> y) { y = x; x = 1; }", &[EARLY]);
    warns("control c(out bit<8> x) { apply { if (x == 1) { x = 2; } else { x = 3; } } }", &[EARLY]);
    warns(&parser("bit<8> x;", "state start { w = x; transition accept; }"), &[EARLY]);
    warns(
        &parser(
            "bit<8> x;",
            "state start { transition select(x) { 1: two; 2: accept; } } state two { w = x; transition accept; }",
        ),
        &[EARLY],
    );
    warns(
        &parser(
            "bit<8> x;",
            "state start { transition two; } state two { w = x; x = 1; transition three; } state three { transition accept; }",
        ),
        &[EARLY],
    );
}

#[test]
fn variables_with_values() {
    for (locals, body) in [
        ("bit<8> x = 1;", "v.f = x;"),
        ("bit<8> x;", "x = 1; v.f = x;"),
        // Some way gives it a value.
        ("bit<8> x;", "if (v.b) { x = 1; } v.f = x;"),
        ("bit<8> x;", "switch (w) { 1: { x = 1; } default: { } } v.f = x;"),
        ("bit<8> x;", "if (v.b) { return; } else { x = 1; } v.f = x;"),
        ("", "bit<8> x; x[3:0] = 1; v.f = x;"),
        ("", "bit<8> x; set(x); v.f = x;"),
        ("", "bit<8> x; inner.apply(v.f, x); v.f = x;"),
        ("register<bit<8>>(4) r;", "bit<8> x; r.read(x, 0); v.f = x;"),
        ("", "bit<8> x; hash(x, HashAlgorithm.crc16, 8w0, { v.f }, 8w255); v.f = x;"),
        ("bit<8> x; action a() { x = 1; }", "a(); v.f = x;"),
        ("bit<8> x; action a() { x = 1; } action b() { a(); }", "b(); v.f = x;"),
        ("bit<8> x; action a() { x = 1; } table t { actions = { a; } default_action = a; }", "t.apply(); v.f = x;"),
        (
            "bit<8> x; action a(out bit<8> y) { y = 1; } table t { actions = { a(x); } default_action = a(x); }",
            "t.apply(); v.f = x;",
        ),
        ("bit<8> x; action a() { v.f = x; }", "x = 1; a();"),
        ("bit<8> x; action a() { v.f = x; } action b() { x = 1; }", "a(); b();"),
        // A later turn reads the value that an earlier one wrote.
        ("bit<8> x;", "for (bit<8> i in 0..3) { if (i == 1) { v.f = x; } x = i; }"),
        ("bit<8> x;", "for (x = 0; x < 3; x = x + 1) { v.f = x; }"),
        // Not simple: fields are not followed, and headers have a validity.
        ("", "H x; v.f = x.f;"),
        ("", "S x; v.f = x.f;"),
        ("", "@noWarn(\"uninitialized_use\") bit<8> x; v.f = x;"),
        ("@noWarn(\"uninitialized_use\") action a() { bit<8> x; v.f = x; }", "a();"),
        // Nothing is read for this.
        ("", "bit<8> x; v.f = x.minSizeInBits();"),
    ] {
        is_silent(&control(locals, body));
    }
    is_silent(&control("bit<8> x;", "v.f = x;").replace("control c", "@noWarn(\"uninitialized_use\") control c"));
    is_silent("void f(out bit<8> x) { x = 1; x = x + 1; }");
    is_silent(&parser(
        "bit<8> x;",
        "state start { transition select(w) { 1: two; default: three; } } state two { x = 1; transition three; }
         state three { w = x; transition accept; }",
    ));
    is_silent(&parser(
        "bit<8> x;",
        "state start { transition select(w) { 1: two; default: loop; } } state two { w = x; transition accept; }
         state loop { x = 1; w = w - 1; transition start; }",
    ));
}

#[test]
fn each_place_has_one_warning() {
    // A generic function and control are checked for each set of type arguments.
    let text = "T f<T>(in T a) { bit<8> x; return a; } control g<T>(inout T a) { bit<8> x; action b() { } apply { } }
        control c(inout bit<8> v, inout bool w) { apply { v = f(v); w = f(w); g<bit<8>>.apply(v); g<bool>.apply(w); } }";
    warns(text, &["'x' is never used", "'x' is never used", "action 'b' is in no table and never called"]);
    let twice = control("", "bit<8> x; v.f = x; w = x;");
    warns(&twice, &[EARLY]);
}
