//! Messages have p4c's form, and of each kind that this compiler has there is one: a table of tiny programs.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4c_driver::compile::{self, Settings};

/// A program for v1model, with something in its header and in its ingress.
fn v1model(header: &str, locals: &str, ingress: &str) -> String {
    format!(
        "#include <v1model.p4>
header H {{ bit<8> f; {header} }}
struct S {{ H h; }}
struct M {{ bit<8> x; }}
parser P(packet_in b, out S s, inout M m, inout standard_metadata_t t) {{ state start {{ b.extract(s.h); transition accept; }} }}
control V(inout S s, inout M m) {{ apply {{ }} }}
control I(inout S s, inout M m, inout standard_metadata_t t) {{ {locals} apply {{ {ingress} }} }}
control E(inout S s, inout M m, inout standard_metadata_t t) {{ apply {{ }} }}
control D(packet_out b, in S s) {{ apply {{ b.emit(s.h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"
    )
}

/// The messages about a program that may be for no architecture.
fn messages(text: &str) -> String {
    let settings = Settings { check_only: !text.contains("v1model.p4"), ..Settings::default() };
    compile::text("t.p4", text, &settings).messages
}

#[track_caller]
fn begins(text: &str, expected: &str) {
    let found = messages(text);
    assert!(found.starts_with(expected), "{text}\nexpected {expected}\n{found}");
}

#[test]
fn errors() {
    let programs = [
        ("expected", "const bit<(true)> a = 0;"),
        ("not-found", "const bit<8> a = b;"),
        ("overlimit", "const bit<2000000> a = 0;"),
        ("insufficient", "bit<8> f(in bool b) { if (b) { return 1; } }"),
        ("type-error", "const bit<8> a = true;"),
        ("I/O error", "#include \"nowhere.p4\""),
        ("Target model error", "control c() { action a() { } table t { actions = { a; } } apply { t.apply(); } }"),
        ("unsupported", "extern E { void f(in E e); }"),
        ("invalid", "const int<0> a = 0;"),
        ("expr", "const bit<8> a = 8w1 / 0;"),
        ("duplicate", "const bit<8> a = 1; const bit<8> a = 2;"),
        ("unreachable", "parser p() { state start { transition start; } }"),
    ];
    for (kind, text) in programs {
        begins(text, &format!("t.p4(1): [--Werror={kind}] error: "));
    }
    let entries = "#include <core.p4>
control c(in bit<8> x) { action a() { } table t { key = { x: exact; } actions = { a; } default_action = a();
const entries = { 1: a();
1: a(); } } apply { t.apply(); } }";
    begins(entries, "t.p4(4): [--Werror=keys] error: ");
    begins(&v1model("bit<4> g;", "", ""), "t.p4(2): [--Werror=target-error] error: ");
    let version = format!("#define V1MODEL_VERSION 20000000\n{}", v1model("", "", ""));
    assert!(messages(&version).contains("[--Werror=unknown] error: "), "{}", messages(&version));
}

#[test]
fn warnings() {
    let programs = [
        ("unused", "control c() { bit<8> x; apply { } }"),
        ("ordering", "control c(in bit<8> x) { apply { switch (x) { default: { } 1: { } } } }"),
        ("overflow", "const bit<8> a = 256;"),
        ("uninitialized-use", "control c(out bit<8> y) { bit<8> x; apply { y = x; } }"),
    ];
    for (kind, text) in programs {
        begins(text, &format!("t.p4(1): [--Wwarn={kind}] warning: "));
    }
    begins("#include <v1model.p4>", "[--Wwarn=missing] warning: ");
    let table = "table t { actions = { NoAction; } colour = 1; }";
    begins(&v1model("", table, "t.apply();"), "t.p4(7): [--Wwarn=ignore-prop] warning: ");
    begins(&v1model("", "", "resubmit_preserving_field_list(3);"), "t.p4(7): [--Wwarn=invalid] warning: ");
}

#[test]
fn the_syntax_has_no_kind() {
    assert_eq!(
        messages("\tconst bit<8> a = ;"),
        "t.p4(1): error: syntax error: expected an expression, found ';'\n\tconst bit<8> a = ;\n\t                 ^\n"
    );
}

#[test]
fn further_places_are_shown_too() {
    assert_eq!(
        messages("const bit<8> a = 1;\nconst bit<8> a = 2;\n"),
        "t.p4(2): [--Werror=duplicate] error: 'a' is declared twice\nconst bit<8> a = 2;\n             ^\n\
         t.p4(1): note: it is a variable declared here\nconst bit<8> a = 1;\n             ^\n"
    );
}

#[test]
fn errors_are_counted_up_to_a_greatest_number() {
    let text: String = (0..40).map(|number| format!("const bit<8> a{number} = b;\n")).collect();
    for (max_errors, shown) in [(None, 20), (Some(5), 5), (Some(0), 0)] {
        let settings = Settings { check_only: true, max_errors, ..Settings::default() };
        let messages = compile::text("t.p4", &text, &settings).messages;
        assert_eq!(messages.matches("] error:").count(), shown + 1, "{messages}");
        let last = format!("Number of errors exceeded set maximum of {shown}");
        assert_eq!(messages.lines().last(), Some(last.as_str()));
    }
    let settings = Settings { check_only: true, max_errors: Some(40), ..Settings::default() };
    assert_eq!(compile::text("t.p4", &text, &settings).messages.matches("] error:").count(), 40);
}

/// The options that a program gives itself, in front of a constant with a warning.
#[track_caller]
fn overflow_with(annotations: &str, expected: &str) {
    let text = format!("{annotations} const bit<8> a = 256;");
    let found = messages(&text);
    match expected {
        "" => assert_eq!(found, "", "{text}"),
        _ => assert!(found.starts_with(&format!("t.p4(1): {expected}: ")), "{text}\n{found}"),
    }
}

#[test]
fn annotations_choose_what_becomes_of_warnings() {
    overflow_with("@diagnostic(\"overflow\", \"disable\")", "");
    overflow_with("@diagnostic[\"overflow\", \"disable\"]", "");
    overflow_with("@diagnostic(\"overflow\", \"error\")", "[--Werror=overflow] error");
    overflow_with("@diagnostic(\"unused\", \"disable\")", "[--Wwarn=overflow] warning");
    overflow_with("@command_line(\"--Werror=unused\", \"--Wdisable\")", "");
    overflow_with("@command_line(\"--Winfo=overflow\")", "[--Winfo=overflow] info");
    // Of two the later one holds, wherever they are.
    let later = "@diagnostic(\"overflow\", \"error\") header h { @diagnostic(\"overflow\", \"warn\") bit<8> f; }";
    overflow_with(later, "[--Wwarn=overflow] warning");
    let in_body = "void f() { @diagnostic(\"overflow\", \"disable\") { } } @diagnostic(\"overflow\", \"warn\") const bool b = true;";
    overflow_with(in_body, "[--Wwarn=overflow] warning");
}

#[test]
fn annotations_come_behind_the_command_line() {
    let text = "@diagnostic(\"overflow\", \"warn\") const bit<8> a = 256; const bit<8> b = 256;";
    let item = |name: Option<&str>, severity| p4_syntax::severities::SeverityOption {
        name: name.map(str::to_owned),
        severity,
    };
    let both = vec![item(Some("overflow"), Some(p4_syntax::Severity::Error)), item(None, None)];
    let warnings = p4_syntax::severities::Severities::new(both);
    let settings = Settings { check_only: true, warnings, ..Settings::default() };
    let compilation = compile::text("t.p4", text, &settings);
    assert!(matches!(compilation.verdict, compile::Verdict::Checked));
    assert_eq!(compilation.messages.matches("[--Wwarn=overflow] warning").count(), 2, "{}", compilation.messages);
}

#[test]
fn wrong_annotations_about_messages() {
    let programs = [
        ("@diagnostic(\"overflow\")", "[--Wwarn=missing] warning"),
        ("@diagnostic", "[--Wwarn=missing] warning"),
        ("@diagnostic(\"overflow\", 1)", "[--Wwarn=missing] warning"),
        ("@diagnostic(\"overflow\", \"info\")", "[--Wwarn=mismatch] warning"),
        ("@command_line(\"--ndebug\")", "[--Wwarn=ignore] warning"),
        ("@diagnostic(\"type-error\", \"disable\")", "[--Werror=invalid] error"),
        ("@command_line(\"--Wwarn=type-error\")", "[--Werror=invalid] error"),
    ];
    for (annotation, expected) in programs {
        begins(&format!("{annotation} const bit<8> a = 1;"), &format!("t.p4(1): {expected}: "));
    }
    begins("@diagnostic(\"type-error\", \"error\") const bit<8> a = true;", "t.p4(1): [--Werror=type-error] error: ");
}

#[test]
fn what_comes_after_an_error_and_is_none_is_left_out() {
    let found = messages("const bit<8> a = true;\nconst bit<8> b = 256;\n");
    assert!(!found.contains("warning"), "{found}");
}
