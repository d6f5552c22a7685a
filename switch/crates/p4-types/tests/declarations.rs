//! Declarations, statements, generics, tables, parsers.

mod common;

use common::{accepted, check, in_control, refused};
use p4_types::typed::{Callee, ExprKind, InstanceOf, InstanceOrigin, KeySet, Local, StatementKind, Transition, Type};

#[test]
fn statements() {
    for right in [
        "if (v.b) v.x = 1; else { v.x = 2; }",
        "switch (t.apply().action_run) { act: NoAction: { v.x = 1; } default: { } }",
        "switch (v.x) { 1: { } 2: 3: { v.x = 4; } default: { exit; } }",
        "switch (v.e) { E.a: { } }",
        "if (t.apply().hit) { v.x = 1; } if (!t.apply().miss) { return; }",
        "for (bit<8> i = 0; i < 4; i = i + 1) { if (i == 2) { continue; } v.x = v.x + i; }",
        "for (bit<8> i in 1..4) { v.x = v.x + i; break; } for (H i in v.s) { v.x = i.f; }",
        "act(v.x, 3); inst.apply(v.x); plain.apply(v.x);",
        "v.x = obj.get(1); obj.put(1); obj.put(1, 2); obj.put(c = true, e = false, d = true);",
        "out_of(v.h.g); out_of(v.x, 4); out_of<bit<8>>(_);",
    ] {
        accepted(&in_control(right));
    }
    for (wrong, message) in [
        ("break;", "only allowed in a loop"),
        ("switch (t.apply().action_run) { nobody: { } }", "has no action 'nobody'"),
        ("switch (v.x) { 1: { } 1: { } }", "twice"),
        ("switch (v.x) { v.x: { } }", "known at compile time"),
        ("for (bit<8> i in v.x) { }", "cannot run over"),
        ("act(v.x);", "no argument for parameter 'data'"),
        ("act(1, 2);", "needs a variable of type"),
        ("other.apply(v.x);", "no argument for parameter 'n'"),
        ("obj.take(1);", "it has: get, put"),
        ("obj.put(v.h);", "expected"),
        ("bit<8> q; bit<8> q;", "declared twice"),
        ("v.x.apply();", "has no method 'apply'"),
        ("return 3;", "only allowed in functions"),
        ("v.x = t.apply().action_run;", "value of a 'switch'"),
    ] {
        refused(&in_control(wrong), message);
    }
}

#[test]
fn functions() {
    accepted("bit<8> f(in bit<8> a) { if (a == 1) { return 1; } else { return 2; } } bit<8> g() { return f(3); }");
    refused("bit<8> f(in bit<8> a) { if (a == 1) { return 1; } }", "does not return a value on all paths");
    refused("void f() { return 1; }", "only allowed in functions with a result");
    refused("bit<8> f() { return f(); }", "function 'f' is not declared");
    refused("void f() { exit; }", "only allowed in controls and actions");
}

#[test]
fn generic_functions_are_instantiated() {
    let text = "T pick<T>(in bool c, in T a, in T b) { return c ? a : b; }
        bit<8> f() { return pick(true, 8w1, 2); } bool g() { return pick(true, false, true); } bit<8> h() { return pick(false, 8w3, 8w4); }";
    let program = accepted(text);
    let picks: Vec<_> = program
        .functions
        .iter()
        .filter(|function| &*function.name == "pick" && !matches!(function.result, Type::Variable(_)))
        .collect();
    assert_eq!(picks.len(), 2);
    refused("T f<T>(in T a) { return a + a; }", "not defined");
}

#[test]
fn generic_structures() {
    let program = accepted(
        "struct P<A, B> { A a; B b; } const P<bit<8>, bool> p = { 1, true }; const P<bit<8>, bool> q = p; header H<T> { T x; } struct S { H<bit<8>> h; H<bit<16>> i; }",
    );
    assert_eq!(program.structs.iter().filter(|item| &*item.name == "P").count(), 1);
    assert_eq!(program.structs.iter().filter(|item| &*item.name == "H").count(), 2);
    refused("struct P<A> { A a; } const P p = { 1 };", "takes 1 type arguments, 0 given");
    refused(
        "error { A } header H<T> { T x; } struct S { H<error> h; }",
        "a header cannot have a field of type 'error'",
    );
}

#[test]
fn types_in_declarations() {
    refused("error { A } header H { bit<8>[2] a; error b; }", "cannot have a field of type 'error'");
    refused("header_union U { bit<8> a; }", "headers only");
    refused("struct S { bit<8> a; bool a; }", "declared twice");
    refused("struct S { T a; }", "type 'T' is not declared");
    refused("typedef bit<0x1000000> T;", "is not a width");
    refused("header H { varbit<8> a; varbit<8> b; }", "only one varbit");
    refused("const bit<8> a = 1; const bit<8> a = 2;", "declared twice");
    refused("struct Port { } control c(in Prot p) { apply { } }", "type 'Prot' is not declared");
    refused("struct Ports { } control c(in Port p) { apply { } }", "did you mean 'Ports'?");
}

#[test]
fn tables() {
    let table = |properties: &str| {
        format!(
            "#include <v1model.p4>\ncontrol c(inout bit<8> x, inout bit<16> y) {{ action a(bit<8> d) {{ x = d; }} action b() {{ }} table t {{ {properties} }} apply {{ t.apply(); }} }}"
        )
    };
    let program = accepted(&table(
        "key = { x: ternary; y: lpm @name(\"why\"); } actions = { a; b; } default_action = b; size = 10;
         entries = { priority = 10: (1 &&& 3, 0xff00 &&& 0xff00): a(1); (_, 5): b(); }",
    ));
    let entries = &program.tables[0].entries;
    assert_eq!(entries[0].priority, Some(10.into()));
    assert_eq!(entries[1].priority, Some(9.into()));
    assert!(matches!(entries[1].keys[0], KeySet::Any));
    assert_eq!(&*program.tables[0].keys[0].source_name, "x");
    let program = accepted(&table("key = { x: exact; } actions = { a; }"));
    assert!(!program.tables[0].actions[1].is_listed);
    for (wrong, message) in [
        ("key = { x: exakt; } actions = { a; }", "there is: exact, ternary, lpm, range, optional, selector"),
        ("key = { x: exact; }", "has no 'actions'"),
        ("actions = { q; }", "action 'q' is not declared"),
        ("actions = { a; a; }", "twice"),
        ("actions = { a; } default_action = b();", "not in the table's list"),
        ("actions = { a; } default_action = a(x);", "known at compile time"),
        ("key = { x: exact; } actions = { a; } const entries = { 1: a(1); 1: a(2); }", "same keys"),
        ("key = { x: exact; } actions = { a; } const entries = { (1, 2): a(1); }", "has 1 keys, but 2 sets"),
        ("key = { x: exact; } actions = { a; } const entries = { 1 &&& 3: a(1); }", "matched 'exact'"),
        ("key = { y: lpm; } actions = { a; } const entries = { 1 &&& 5: a(1); }", "matched 'lpm'"),
        ("key = { x: exact; } key = { y: exact; } actions = { a; }", "given twice"),
    ] {
        refused(&table(wrong), message);
    }
}

#[test]
fn parsers() {
    let parser = |body: &str| {
        format!(
            "#include <core.p4>\nheader H {{ bit<8> f; }} header V {{ bit<8> n; varbit<64> v; }} struct S {{ H h; H[3] s; V v; }}\nparser p(packet_in b, out S h, inout bit<8> m) {{ value_set<bit<8>>(4) vs; {body} }}"
        )
    };
    let program = accepted(&parser(
        "state start { b.extract(h.h); b.extract(h.s.next); b.extract(h.v, 8); m = h.s.last.f + (bit<8>)h.s.lastIndex;
           bit<8> l = b.lookahead<bit<8>>(); b.advance(8); b.extract<H>(_); verify(m == 1, error.NoMatch);
           transition select(h.h.f, m) { (1, 2): two; (3 .. 4, _): accept; (5 &&& 7, default): reject; } }
         state two { transition select(m) { vs: start; default: accept; } } state three { transition reject; }",
    ));
    let states = &program.parsers[0].states;
    assert!(
        matches!(&states[0].transition, Transition::Select { keys, cases, .. } if keys.len() == 2 && cases.len() == 3)
    );
    for (wrong, message) in [
        ("state begin { }", "has no state 'start'"),
        ("state start { transition nowhere; }", "there is no state 'nowhere'"),
        ("state start { } state start { }", "declared twice"),
        ("state start { b.extract(m); }", "'extract' reads headers"),
        ("state start { b.extract(h.v); }", "needs its size"),
        ("state start { b.extract(h.h, 8); }", "exactly one varbit"),
        ("state start { transition select(m) { (1, 2): accept; } }", "1 keys are selected on, but 2 sets"),
        ("state start { transition select(m) { true: accept; } }", "expected a value of type 'bit<8>'"),
        ("state start { transition select(h.h) { _: accept; } }", "'select' cannot look at"),
        ("state start { return; }", "not allowed in a parser state"),
        ("state accept { }", "built in"),
    ] {
        refused(&parser(wrong), message);
    }
}

#[test]
fn instances_and_constructors() {
    let text = "extern X { X(bit<8> n); X(bool b, bit<8> n); } control inner(inout bit<8> v)(bit<8> n, X x) { apply { v = n; } }
        control c(inout bit<8> v)(bit<8> k) { X(k) x; inner(k + 1, X(true, 2)) i; apply { i.apply(v); } }
        control C(inout bit<8> v); package P(C c, bit<8> n = 7); P(c(5)) main;";
    let program = accepted(text);
    let main = &program[program.main.expect("main")];
    assert_eq!(main.args.len(), 2);
    assert!(matches!(main.of, InstanceOf::Package { .. }));
    let control = &program.controls[1];
    let anonymous = control
        .locals
        .iter()
        .any(|local| matches!(local, Local::Instance(id) if program[*id].origin == InstanceOrigin::Anonymous));
    assert!(anonymous);
    refused("extern X { X(bit<8> n); } X() x;", "no argument for parameter 'n'");
    refused("control c()(bit<8> n) { apply { } } control d() { c(1, 2) i; apply { } }", "at most 1 taken");
    refused(
        "control c() { apply { } } control C(inout bit<8> v); package P(C c); P(c()) main;",
        "expected a value of type 'C'",
    );
    refused("control c() { apply { } } c() main;", "cannot be instantiated here");
    refused("control C(); package P(C c); control c(inout bit<8> v) { apply { } } P(c()) main;", "found 'control c'");
}

#[test]
fn abstract_methods() {
    let base = "extern A<T> { A(); abstract T f(in T a); void g(); }";
    let program = accepted(&format!("{base} A<bit<8>>() a = {{ bit<8> f(in bit<8> a) {{ return a + 1; }} }};"));
    assert_eq!(program.instances[0].methods.len(), 1);
    refused(&format!("{base} A<bit<8>>() a;"), "abstract method 'f' has no body");
    refused(&format!("{base} A<bit<8>>() a = {{ bool f(in bool a) {{ return a; }} }};"), "other types");
}

#[test]
fn type_arguments_of_packages_are_inferred() {
    let text = "#include <v1model.p4>
        header E { bit<48> d; } struct H { E e; } struct M { @field_list(1) bit<8> x; }
        parser P(packet_in b, out H h, inout M m, inout standard_metadata_t s) { state start { b.extract(h.e); transition accept; } }
        control V(inout H h, inout M m) { apply { verify_checksum(h.e.isValid(), { h.e.d }, 16w0, HashAlgorithm.csum16); } }
        control I(inout H h, inout M m, inout standard_metadata_t s) {
          register<bit<32>>(1024) r; counter(10, CounterType.packets_and_bytes) c; direct_counter(CounterType.packets) dc; meter(3, MeterType.bytes) me; action_profile(10) ap;
          action drop() { mark_to_drop(s); } action go(bit<9> p) { s.egress_spec = p; }
          table t { key = { h.e.d: exact; } actions = { drop; go; NoAction; } counters = dc; implementation = ap; default_action = NoAction(); }
          apply {
            bit<32> v; r.read(v, 5); r.write((bit<32>)m.x, v + 1); c.count(3); me.execute_meter(1, m.x);
            hash(v, HashAlgorithm.crc32, 32w0, { h.e.d, m.x }, 32w1024); random(m.x, 0, 10); digest(1, { h.e.d });
            digest<M>(1, m); clone_preserving_field_list(CloneType.I2E, 100, 1); resubmit_preserving_field_list(1);
            log_msg(\"x = {}\", { m.x }); log_msg(\"y\"); assert(m.x == 1); truncate(64); mark_to_drop();
            if (t.apply().hit) { drop(); } } }
        control G(inout H h, inout M m, inout standard_metadata_t s) { apply { recirculate_preserving_field_list(0); } }
        control K(inout H h, inout M m) { apply { update_checksum_with_payload(true, { h.e.d }, h.e.d, HashAlgorithm.crc16); } }
        control D(packet_out b, in H h) { apply { b.emit(h); } }
        V1Switch(P(), V(), I(), G(), K(), D()) main;";
    let program = accepted(text);
    let main = &program[program.main.expect("main")];
    let InstanceOf::Package { type_args, .. } = &main.of else {
        panic!("a package");
    };
    assert!(matches!(type_args.as_slice(), [Type::Struct(_), Type::Struct(_)]));
}

#[test]
fn calls_are_resolved() {
    let program = accepted(&in_control("obj.put(1); out_of(v.h.g);"));
    let body = &program.controls.last().expect("the control").body;
    let call = |index: usize| match &body.statements[index].kind {
        StatementKind::Call(expr) => match &expr.kind {
            ExprKind::Call(call) => call.clone(),
            _ => panic!("a call"),
        },
        _ => panic!("a call"),
    };
    let first = call(0);
    assert!(matches!(first.callee, Callee::Method { method: 1, .. }));
    assert_eq!(first.args.len(), 2);
    assert!(first.args[1].value.is_none());
    let second = call(1);
    assert_eq!(second.type_args, vec![Type::Bit(16)]);
    assert!(second.args[1].value.is_some());
}

#[test]
fn annotations_become_values() {
    let program = accepted("@name(\"n\") @id(7) @brief(\"a \" ++ \"b\") @x(some free (text)) @k[a=1, b=\"s\"] header H { @match(exact_) bit<8> f; }".replace("@match(exact_) ", "").as_str());
    let annotations = &program.structs[0].annotations;
    assert_eq!(annotations[0].string(), Some("n"));
    assert_eq!(annotations[1].number(), Some(&7.into()));
    assert_eq!(annotations[2].string(), Some("a b"));
    assert!(
        matches!(&annotations[3].body, p4_types::typed::AnnotationBody::Tokens(text) if &**text == "some free ( text )")
    );
    assert!(matches!(&annotations[4].body, p4_types::typed::AnnotationBody::Pairs(pairs) if pairs.len() == 2));
}

#[test]
fn static_assert_is_checked() {
    accepted("#include <v1model.p4>\nconst bool ok = static_assert(V1MODEL_VERSION > 20180000, \"too old\");");
    refused("#include <core.p4>\nconst bool ok = static_assert(1 > 2, \"never\");", "static_assert failed: never");
}

#[test]
fn messages_are_in_source_order() {
    let (_, messages) = check("const bit<8> a = b;\nconst bit<8> c = d;\nstruct S { E e; }\n");
    let places: Vec<&str> = messages.lines().filter(|line| line.contains("error:")).collect();
    assert_eq!(places.len(), 3);
    assert!(places[0].starts_with("t.p4(1): [--Werror=not-found] error: name 'b' is not declared"), "{messages}");
    assert!(places[2].starts_with("t.p4(3): [--Werror=not-found] error: type 'E' is not declared"), "{messages}");
}

#[test]
fn generic_parsers_and_controls() {
    let text = "control C<T>(inout T v)(T n) { apply { v = n; } } control c(inout bit<8> v) { C<bit<8>>(3) a; C(8w4) b; apply { a.apply(v); b.apply(v); } }
        control K(inout bit<8> v); package P(K k, K l); P(c(), C(8w1)) main;";
    let program = accepted(text);
    let instances =
        program.controls.iter().filter(|control| &*control.name == "C" && control.params[0].ty == Type::Bit(8));
    assert_eq!(instances.count(), 1);
}

#[test]
fn constructors_tell_controls_apart() {
    let text =
        "control d(out bit<8> x)(bit<8> a) { apply { x = a; } } control d(out bit<8> x)(bit<8> b) { apply { x = -b; } }
        control c(inout bit<8> x) { d(b = 2) i; apply { i.apply(x); } }";
    accepted(text);
    refused("control d()(bit<8> a) { apply { } } control d()(bool a) { apply { } }", "declared twice");
}

#[test]
fn numbers_of_any_size_at_run_time() {
    accepted(&in_control("v.x = (bit<8>)((int)v.x + 1); v.y = (int<8>)(3 - (int)v.h.g * 2);"));
    accepted(&in_control("v.b = (int)v.x == 300;").replace("== 300", "+ 0 == 8w3"));
    refused(&in_control("v.b = (int)v.x == (int)v.h.g;"), "numbers of any size");
    refused(&in_control("v.x = (bit<8>)((int)v.x >> 1);"), "numbers of any size");
}
