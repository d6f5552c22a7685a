//! The parser: the texts that it takes, the texts that it refuses, and the trees where the grammar is ambiguous.

use p4_syntax::ast::{BinaryOp, Declaration, Expr, ExprKind, TypeKind};
use p4_syntax::{Diagnostics, Options, SourceMap, parse_text};

fn parse(text: &str) -> (Vec<Declaration>, String) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let tree = parse_text("t.p4", text, &Options::default(), &mut sources, &mut diagnostics);
    (tree.declarations, diagnostics.render(&sources))
}

fn accepted(text: &str) {
    let (_, messages) = parse(text);
    assert_eq!(messages, "", "{text}");
}

fn refused(text: &str, message: &str) {
    let (_, messages) = parse(text);
    assert!(messages.contains(message), "{text}\n{messages}");
}

/// The value of the last constant.
fn expression(text: &str) -> Expr {
    let (list, messages) = parse(text);
    assert_eq!(messages, "", "{text}");
    match list.last() {
        Some(Declaration::Constant(constant)) => constant.value.clone(),
        _ => panic!("no constant in {text}"),
    }
}

fn body(statements: &str) -> String {
    format!("typedef bit<8> T; control c(inout T x) {{ apply {{ {statements} }} }}")
}

#[test]
fn operators_bind_as_in_p4() {
    let tree = expression("const bool v = a & b == c;");
    assert!(matches!(tree.kind, ExprKind::Binary(BinaryOp::Equal, ..)));
    let tree = expression("const int v = 1 + 2 ++ 3 << 4;");
    let ExprKind::Binary(BinaryOp::ShiftLeft, left, _) = tree.kind else {
        panic!("shift is weakest");
    };
    assert!(matches!(left.kind, ExprKind::Binary(BinaryOp::Concat, ..)));
    let tree = expression("const int v = 8 >> 2 > 1 ? 1 : 2;");
    assert!(matches!(tree.kind, ExprKind::Ternary(..)));
}

#[test]
fn names_of_types_decide() {
    let cast = expression("typedef bit<8> T; const T v = (T)-1;");
    assert!(matches!(cast.kind, ExprKind::Cast(..)));
    let minus = expression("const int T = 1; const int v = (T)-1;");
    assert!(matches!(minus.kind, ExprKind::Binary(BinaryOp::Sub, ..)));
    let generic = expression("typedef bit<8> T; const T v = f<T>(1);");
    assert!(matches!(generic.kind, ExprKind::Call { ref type_args, .. } if type_args.len() == 1));
    let compared = expression("const int T = 1; const bool v = f<T;");
    assert!(matches!(compared.kind, ExprKind::Binary(BinaryOp::Less, ..)));
    let member = expression("enum E { a } const E v = E.a;");
    assert!(matches!(member.kind, ExprKind::Member(..)));
}

#[test]
fn closing_brackets_are_not_shifts() {
    let (list, messages) = parse("struct S { tuple<list<bit<8>>> a; bit<(1 > 0 ? 4 : 2)> b; }");
    assert_eq!(messages, "");
    let Declaration::Struct(decl) = &list[0] else {
        panic!("a structure");
    };
    assert!(matches!(decl.fields[0].ty.kind, TypeKind::Tuple(_)));
}

#[test]
fn literals() {
    for number in ["0x1F", "8w0b1010_0101", "4s7", "0o17", "0d9", "16w0xFF_FF"] {
        accepted(&format!("const int v = {number};"));
    }
    refused("const int v = 0b12;", "'2' is not a binary digit");
    refused("const int v = 8x;", "is not a number");
    refused("const string v = \"abc;", "never closed");
}

#[test]
fn all_statements() {
    for statement in [
        "x = 1; x += 1; x <<= 2; x >>= 1; x |+|= 3; x[3:0] = 1; x[0+:4] = 2;",
        "if (x == 1) x = 2; else if (x > 2) { x = 3; } else { }",
        "switch (x) { 1: 2: { x = 1; } default: { } }",
        "for (T i = 0, T j = 1; i < 4; i = i + 1, j += 2) { continue; }",
        "for (T i in 1..4) { break; }",
        "for (@unroll T i in list) ;",
        "@atomic { x = 1; }",
        "T y = { 1, 2, }; T z = { a = 1, ... }; T w = {#};",
        "return; exit;",
        "obj.m<T, bit<8>>(x, _, name = 3);",
        "T.apply(x);",
    ] {
        accepted(&body(statement));
    }
    refused(&body("for (i in 1..4) { }"), "the type of the loop's variable");
}

#[test]
fn all_declarations() {
    for declaration in [
        "@a @b(c, (d), 1) @c[1, \"x\"] @d[k = 1, l = true] @e() const bit<8> v = 1;",
        "error { A, B }",
        "match_kind { one, two, }",
        "header H<T> { T a; varbit<8> b; } header_union U { H<bit<8>> h; } struct S { H<bit<8>>[4] s; }",
        "enum E { a, b, } enum bit<8> F { a = 1, b = 2 }",
        "type bit<9> P; typedef struct S { } T;",
        "extern void f<T>(in T a, @optional out bit<8> b = 1); extern X<T> { X(bit<8> n); abstract T g(in T a); void h<U>(in U u); } extern Y;",
        "bit<8> f<T>(in T a) { return 1; }",
        "action a(inout bit<8> x, bit<8> d) { }",
        "parser P<H>(packet_in p, out H h); control C<H>(inout H h); package K<H>(P<H> p, C<H> c = d());",
        "parser p(in bit<8> x)(bit<8> n) { value_set<bit<8>>(4) v; state start { transition select(x, 1) { (1, _): next; (2 &&& 3, 4..5): accept; v: accept; default: reject; } } state next { } }",
        "X<bit<8>>(5) x = { void g(in bit<8> a) { } };",
        "control c(inout bit<8> x) { table t { key = { x: exact @name(\"k\"); } actions = { a; @defaultonly b(x); } const default_action = a(1); const entries = { const priority = 3: (1) : a(2) @x; (1, 2 &&& 3): a; } size = 10; } apply { t.apply(); } }",
        ";",
    ] {
        accepted(declaration);
    }
}

#[test]
fn messages_name_place_and_expectation() {
    let (_, messages) = parse("header H {\n\tbit<8> a\n}\n");
    assert_eq!(
        messages,
        "t.p4(2): error: syntax error: after this, expected ';' at the end of the field, found '}'\n\tbit<8> a\n\t       ^\n"
    );
    refused("bit<8> x = 1;", "variables belong into a parser or control");
    refused("control c() { }", "'apply'");
}

#[test]
fn several_errors_in_order() {
    let (_, messages) = parse(&body("x = ; y y y; x = 1 +; x = 2;"));
    assert_eq!(messages.matches(": error:").count(), 3, "{messages}");
}

#[test]
fn flat_chains_are_no_nesting() {
    accepted(&body(&format!("if (x == 0) {{ }}{} else {{ }}", " else if (x == 1) { x = 2; }".repeat(1_000))));
    accepted(&format!("const int v = {} 0;", "v == 1 ? 2 :".repeat(390)));
    for operator in ["+", "*", "&", "|", "^", "&&", "||", "++"] {
        accepted(&format!("const int v = 1{};", format!(" {operator} 1").repeat(20_000)));
    }
    let (_, messages) = parse(&body(&format!("if (x == 0) {{ }}{}", " else if (x == 1) { }".repeat(20_000))));
    assert!(messages.contains("more than 10000 branches of 'else if'"), "{messages}");
}

#[test]
fn nesting_is_bounded() {
    for open in ["(", "{", "-", "a[", "f(", "(bit<8>)", "(bit<(", "x<T<", "true ? 1 : "] {
        let (_, messages) = parse(&format!("const int v = {}", open.repeat(50_000)));
        assert!(!messages.is_empty());
    }
    let (_, messages) = parse(&format!("const int v = 1{};", " - 1".repeat(50_000)));
    assert!(messages.contains("levels"), "{messages}");
    let (_, messages) = parse(&body(&"{ if (true) ".repeat(20_000)));
    assert!(messages.contains("nested too deeply"), "{messages}");
    let (_, messages) = parse(&format!("struct S {{ {} x; }}", "list<".repeat(20_000)));
    assert!(messages.contains("nested too deeply"), "{messages}");
}
