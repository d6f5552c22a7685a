//! Types of expressions, conversions, folding.

mod common;

use common::{accepted, check, in_control, refused};
use p4_types::format::type_name;
use p4_types::typed::{ExprKind, StatementKind, Value, VariableKind};

/// Type and folded value of a constant.
fn constant(declaration: &str) -> (String, String) {
    let program = accepted(declaration);
    let variable = program.variables.last().expect("a constant");
    let VariableKind::Constant(value) = &variable.kind else {
        panic!("a constant");
    };
    let text = match &value.kind {
        ExprKind::Literal(Value::Int(number)) => number.to_string(),
        ExprKind::Literal(Value::Bool(value)) => value.to_string(),
        ExprKind::Literal(Value::String(text)) => text.to_string(),
        other => format!("{other:?}"),
    };
    (type_name(&program, &variable.ty), text)
}

fn value(expression: &str) -> String {
    constant(&format!("const int v = {expression};")).1
}

fn bits(width: u32, expression: &str) -> String {
    constant(&format!("const bit<{width}> v = {expression};")).1
}

#[test]
fn numbers_without_width() {
    assert_eq!(value("2 * 3 + 10 / 3 - 7 % 4"), "6");
    assert_eq!(value("1 << 100"), (1u128 << 100).to_string());
    assert_eq!(value("-5 >> 1"), "-3");
    assert_eq!(value("true ? 1 : 2"), "1");
    refused("const int v = 1 / 0;", "division by zero");
    refused("const int v = -4 / 2;", "negative");
    refused("const int v = 1 << 100000000;", "too large");
    refused("const int v = 1 |+| 2;", "not defined");
}

#[test]
fn numbers_with_width_wrap() {
    assert_eq!(bits(8, "255 + 8w1"), "0");
    assert_eq!(bits(8, "8w250 |+| 10"), "255");
    assert_eq!(bits(8, "8w3 |-| 10"), "0");
    assert_eq!(bits(8, "~8w0"), "255");
    assert_eq!(bits(8, "-8w1"), "255");
    assert_eq!(bits(12, "4w0xa ++ 8w0xbc"), "2748");
    assert_eq!(bits(4, "8w0xab[7:4]"), "10");
    assert_eq!(bits(4, "8w0xab[4+:4]"), "10");
    assert_eq!(bits(8, "(bit<8>)(int<8>)-1"), "255");
    assert_eq!(constant("const int<8> v = 8s127 + 1;").1, "-128");
    assert_eq!(constant("const bool v = 8w3 == 3 && !(4s1 > 2);").1, "true");
    assert_eq!(constant("const string v = \"a\" ++ \"b\";").1, "ab");
    assert_eq!(constant("const bool v = (bool)1w1;").1, "true");
}

#[test]
fn structures_fold() {
    let text = "struct S { bit<8> a; tuple<bool, bit<4>> b; } const S s = { b = { true, 3 }, a = 1 }; const bit<4> v = s.b[1];";
    assert_eq!(constant(text).1, "3");
    let text = "struct S { bit<8> a; bool b; } const S s = { 1, ... }; const bool v = s.b;";
    assert_eq!(constant(text).1, "false");
    refused("struct S { bit<8> a; } const S s = { b = 1 };", "has no field 'b'");
    refused("struct S { bit<8> a; bit<8> b; } const S s = { a = 1 };", "no value for field 'b'");
    refused("struct S { bit<8> a; } const S s = { 1, 2 };", "has 1 parts, 2 given");
}

#[test]
fn enumerations() {
    assert_eq!(constant("enum bit<8> F { a = 1, b = 7 } const bit<8> v = F.b + 1;").1, "8");
    assert_eq!(constant("enum bit<8> F { a = 1, b = a } const bool v = F.b == 1;").1, "true");
    refused("enum E { a } const bit<8> v = E.a;", "expected a value of type 'bit<8>', found 'E'");
    refused("enum E { a } const E v = E.c;", "has no member 'c'");
    refused("enum bool F { a = true }", "can be of type bit<W> or int<W>");
    refused("enum bit<8> F { a = 1 } const F v = 1;", "a cast would do it");
}

#[test]
fn implicit_casts_are_explicit_in_the_tree() {
    let program = accepted(&in_control("v.x = v.f; v.x = id(v.f);"));
    let body = &program.controls.last().expect("the control").body;
    let StatementKind::Assign { value, .. } = &body.statements[0].kind else {
        panic!("an assignment");
    };
    assert!(matches!(value.kind, ExprKind::Cast(_)));
    assert_eq!(type_name(&program, &value.ty), "bit<8>");
}

#[test]
fn operators_and_types() {
    for right in [
        "v.x = v.x + 1; v.y = v.y - 3; v.x = v.x << v.h.g; v.x = v.x >> 2;",
        "v.b = v.h == { 1, 2 }; v.b = v.h == {#}; v.b = v.st == { a = 1, b = 2 }; v.b = v.t == { 1, true };",
        "v.b = v.e == E.a; v.b = v.er != error.NoMatch; v.b = v.p == v.p; v.b = v.f == F.one; v.b = v.f == 8w1;",
        "v.x = (bit<8>)v.y; v.x = (bit<8>)v.h.g; v.x = v.b ? 1 : v.x; v.b = (bool)v.x[0:0];",
        "v.p = (Port)5; v.p = (Port)(bit<9>)v.x; v.x = (bit<8>)(bit<9>)v.p;",
        "v.h.g = v.x ++ v.x; v.x[3:0] = 4w2; v.x = v.b ? 8w1 : 2;",
        "v.t = { 1, true }; v.x = v.t[0]; v.st = { 1, 2 }; v.h = { f = 1, g = 2 }; v.h = {#}; v.st = { a = 3, ... };",
        "v.s[1] = v.h; v.s[v.x].f = 1; v.s = { {1, 2}, {3, 4}, {#} };",
        "v.x = twice(v.x); v.x = twice(v = 3); v.x = id<bit<8>>(3); v.x = id(8w3);",
        "bit<32> n = v.s.size; v.b = v.h.isValid() || v.u.isValid(); v.h.setValid(); v.s.push_front(1);",
        "v.x += 2; v.y -= 1; v.x <<= 3; v.x |+|= 1;",
    ] {
        accepted(&in_control(right));
    }
    for (wrong, message) in [
        ("v.x = v.x + v.h.g;", "the widths differ"),
        ("v.x = v.y;", "expected a value of type 'bit<8>', found 'int<8>'"),
        ("v.x = v.h.g;", "a cast would do it"),
        ("v.b = v.x;", "expected a value of type 'bool'"),
        ("v.x = 1 << v.x;", "without width"),
        ("v.x = v.x << v.y;", "signed"),
        ("v.x = v.x << -1;", "negative number"),
        ("v.x = v.x / 0;", "division by zero"),
        ("v.y = v.y / 2;", "not defined"),
        ("v.p = v.x;", "expected a value of type 'Port'"),
        ("v.x = (bit<8>)(int<16>)v.x;", "cannot cast 'bit<8>' to 'int<16>'"),
        ("v.b = v.b + v.b;", "not defined for 'bool' and 'bool'"),
        ("v.x = v.x[8:1];", "has no bit 8"),
        ("v.x = v.x[v.x:0];", "known at compile time"),
        ("v.h = v.s[3];", "there is no element 3"),
        ("v.x = v.t[2];", "there is no element 2"),
        ("v.x = v.h.nothing;", "it has: f, g"),
        ("v.x = w;", "name 'w' is not declared"),
        ("v.x = v.b ? 1 : 2.y;", "'int' has no field 'y'"),
        ("v.h = v.s.next;", "only be used in a parser"),
        ("ro = 1;", "parameter 'ro' is 'in'"),
        ("v.x = t.apply();", "expected a value of type 'bit<8>', found 'void'"),
        ("twice(v.b);", "expected a value of type 'bit<8>', found 'bool'"),
        ("v.x = twice(1, 2);", "2 arguments given"),
        ("v.x = twice();", "no argument for parameter 'v'"),
        ("v.x = twice(w = 1);", "there is no parameter 'w'"),
        ("v.x = id(3);", "cannot be inferred from a number without width"),
        ("out_of(3);", "cannot be inferred"),
        ("out_of(ro);", "parameter 'ro' is 'in'"),
        ("S y = {#};", "an invalid header"),
        ("int y = 1;", "a variable cannot have type 'int'"),
        ("verify(true, error.NoMatch);", "in a parser"),
    ] {
        refused(&in_control(wrong), message);
    }
}

#[test]
fn a_number_that_does_not_fit_warns() {
    let (program, messages) = check("const bit<8> v = 256;");
    assert!(program.is_some());
    assert!(messages.contains("warning: 256 does not fit into 'bit<8>'; 0 is left of it"), "{messages}");
}

#[test]
fn one_mistake_gives_one_message() {
    let (_, messages) = check(&in_control("v.x = w + 1 + w2[3].f; v.b = !v.x.q && true;"));
    assert_eq!(messages.matches("] error: ").count(), 3, "{messages}");
}

#[test]
fn deep_trees_are_no_danger() {
    let chain = " + v.x".repeat(390);
    accepted(&in_control(&format!("v.x = v.x{chain};")));
    let nested = format!("{}v.x{}", "(1 + ".repeat(70), ")".repeat(70));
    accepted(&in_control(&format!("v.x = {nested};")));
}
