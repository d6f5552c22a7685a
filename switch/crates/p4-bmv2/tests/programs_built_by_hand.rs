//! Tests on intermediate representation built by hand.

use num_bigint::BigInt;
use p4_bmv2::{json, p4info};
use p4_ir::Program;
use p4_ir::control::{Action, DefaultAction, Node, NodeId, Table, TableId, TableNext};
use p4_ir::control_plane as cp;
use p4_ir::expr::{BinaryOp, Expr, ExprKind, Ty, UnaryOp};
use p4_ir::ops::{Label, Op};
use p4_ir::parser::{Case, Matcher, State, Target, Transition};
use p4_ir::storage::{Field, FieldRef, FieldWidth, HeaderType};
use serde_json::{Value, json};

/// A program with one metadata header `m` of two 8-bit fields and a boolean.
fn program() -> (Program, FieldRef, FieldRef, FieldRef) {
    let mut program = Program::default();
    let field = |name: &str, width, signed| Field { name: name.to_owned(), width: FieldWidth::Bits(width), signed };
    let layout = program.storage.add_header_type(HeaderType {
        name: "m_t".to_owned(),
        fields: vec![field("a", 8, false), field("b", 8, true), field("c", 1, false)],
        metadata: true,
        source: None,
    });
    let header = program.storage.add_header("m".to_owned(), layout, true);
    let at = |field| FieldRef { header, field };
    (program, at(0), at(1), at(2))
}

fn action_with(mut program: Program, ops: Vec<Op>) -> Value {
    program.actions.push(Action {
        name: "a".to_owned(),
        params: vec![("p".to_owned(), 8)],
        body: ops.into_iter().map(|op| op.at(None)).collect(),
        source: None,
    });
    json::program(&program)["actions"][0]["primitives"].clone()
}

#[test]
fn metadata_is_padded_to_whole_bytes() {
    let (program, ..) = program();
    let document = json::program(&program);
    assert_eq!(
        document["header_types"][0]["fields"],
        json!([["a", 8, false], ["b", 8, true], ["c", 1, false], ["_padding", 7, false]])
    );
    assert_eq!(document["__meta__"]["version"], json!([2, 23]));
}

#[test]
fn sums_are_brought_back_into_their_type() {
    let (program, a, b, _) = program();
    let sum = |field, ty: Ty| {
        let one = Expr::constant(1, ty);
        Op::Assign(field, Expr::binary(BinaryOp::Add, Expr::field(field, ty), one, ty))
    };
    let signed = Ty::Bits { width: 8, signed: true };
    let primitives = action_with(program, vec![sum(a, Ty::bit(8)), sum(b, signed)]);
    let unsigned = &primitives[0]["parameters"][1]["value"]["value"];
    assert_eq!(unsigned["op"], "&");
    assert_eq!(unsigned["right"], json!({"type": "hexstr", "value": "0xff"}));
    assert_eq!(unsigned["left"]["value"]["op"], "+");
    let signed = &primitives[1]["parameters"][1]["value"]["value"];
    assert_eq!(signed["op"], "two_comp_mod");
    assert_eq!(signed["right"], json!({"type": "hexstr", "value": "0x08"}));
}

#[test]
fn booleans_are_converted_where_they_are_stored() {
    let (program, a, _, c) = program();
    let flag = Expr::field(c, Ty::Bool);
    let not = Expr::unary(UnaryOp::Not, flag, Ty::Bool);
    let param = Expr { kind: ExprKind::ActionParam(0), ty: Ty::bit(8) };
    let ops = vec![Op::Assign(c, not), Op::Assign(c, Expr::bool(true)), Op::Assign(a, param)];
    let primitives = action_with(program, ops);
    let stored = &primitives[0]["parameters"][1]["value"]["value"];
    assert_eq!(stored["op"], "b2d");
    assert_eq!(stored["right"]["value"]["op"], "not");
    assert_eq!(stored["right"]["value"]["right"]["value"]["op"], "d2b");
    assert_eq!(primitives[1]["parameters"][1], json!({"type": "hexstr", "value": "0x01"}));
    assert_eq!(primitives[2]["parameters"][1], json!({"type": "runtime_data", "value": 0}));
}

#[test]
fn a_datum_of_an_action_in_a_wider_type_is_no_expression() {
    let (program, a, ..) = program();
    let param = || Expr { kind: ExprKind::ActionParam(0), ty: Ty::bit(8) };
    let wider = Expr::unary(UnaryOp::Cast, param(), Ty::bit(32));
    let narrower = Expr::unary(UnaryOp::Cast, param(), Ty::bit(4));
    let primitives = action_with(program, vec![Op::Assign(a, wider), Op::Assign(a, narrower)]);
    assert_eq!(primitives[0]["parameters"][1], json!({"type": "runtime_data", "value": 0}));
    let masked = &primitives[1]["parameters"][1]["value"]["value"];
    assert_eq!(masked["left"], json!({"type": "local", "value": 0}));
}

#[test]
fn labels_become_positions() {
    let (program, a, _, c) = program();
    let set = |value: u8| Op::Assign(a, Expr::constant(value, Ty::bit(8)));
    let ops = vec![
        Op::JumpUnless(Expr::field(c, Ty::Bool), Label(0)),
        set(1),
        Op::Jump(Label(1)),
        Op::Label(Label(0)),
        set(2),
        Op::Label(Label(1)),
    ];
    let primitives = action_with(program, ops);
    assert_eq!(primitives.as_array().map(Vec::len), Some(4));
    assert_eq!(primitives[0]["op"], "_jump_if_zero");
    assert_eq!(primitives[0]["parameters"][0], json!({"type": "field", "value": ["m", "c"]}));
    assert_eq!(primitives[0]["parameters"][1]["value"], "0x00000003");
    assert_eq!(primitives[2]["parameters"][0]["value"], "0x00000004");
}

#[test]
fn select_keys_are_joined_on_whole_bytes() {
    let (mut program, a, _, c) = program();
    let keys = vec![Expr::field(a, Ty::bit(12)), Expr::field(c, Ty::bit(2))];
    let exact = |bits: u32| (BigInt::from(1) << bits) - 1;
    program.parser.states.push(State {
        name: "start".to_owned(),
        ops: vec![],
        transition: Transition::Select {
            keys,
            cases: vec![
                Case {
                    matcher: Matcher::Masked(vec![(BigInt::from(0xaba), exact(12)), (BigInt::from(3), exact(2))]),
                    target: Target::Accept,
                },
                Case {
                    matcher: Matcher::Masked(vec![
                        (BigInt::from(0x0a0), BigInt::from(0x0f0)),
                        (BigInt::ZERO, BigInt::ZERO),
                    ]),
                    target: Target::Accept,
                },
            ],
        },
        source: None,
    });
    let document = json::program(&program);
    let transitions = &document["parsers"][0]["parse_states"][0]["transitions"];
    assert_eq!(transitions[0]["value"], "0x0aba03");
    assert_eq!(transitions[0]["mask"], Value::Null);
    assert_eq!(transitions[1]["value"], "0x00a000");
    assert_eq!(transitions[1]["mask"], "0x00f000");
}

#[test]
fn tables_name_what_follows_each_action() {
    let (mut program, ..) = program();
    let _ = action_with(program.clone(), vec![]);
    program.actions.push(Action { name: "NoAction".to_owned(), params: vec![], body: vec![], source: None });
    let table = |name: &str| Table {
        name: name.to_owned(),
        keys: vec![],
        actions: vec![p4_ir::control::ActionId(0)],
        default: Some(DefaultAction { action: p4_ir::control::ActionId(0), args: vec![], constant: false }),
        entries: None,
        const_entries: false,
        size: 1024,
        support_timeout: false,
        profile: None,
        with_counters: false,
        direct_meter: None,
        synthesized: false,
        source: None,
    };
    program.tables = vec![table("t"), table("u")];
    program.ingress.name = "ingress".to_owned();
    program.ingress.start = Some(NodeId(0));
    let node = |table, next| Node::Table { table: TableId(table), next };
    program.ingress.nodes =
        vec![node(0, TableNext::Always(Some(NodeId(1)))), node(1, TableNext::HitMiss { hit: None, miss: None })];
    let document = json::program(&program);
    let pipeline = &document["pipelines"][0];
    assert_eq!(pipeline["init_table"], "t");
    assert_eq!(pipeline["tables"][0]["next_tables"], json!({"NoAction": "u"}));
    assert_eq!(pipeline["tables"][1]["next_tables"], json!({"__HIT__": null, "__MISS__": null}));
    assert_eq!(pipeline["tables"][0]["default_entry"]["action_const"], json!(false));
}

fn visible_action(name: &str) -> cp::Action {
    cp::Action { preamble: cp::Preamble { name: name.to_owned(), ..cp::Preamble::default() }, params: vec![] }
}

#[test]
fn ids_and_aliases_are_those_of_p4runtime() {
    let plane = cp::ControlPlane {
        actions: vec![visible_action("NoAction"), visible_action("a.drop"), visible_action("b.drop")],
        ..cp::ControlPlane::default()
    };
    let text = p4info::text(&plane).unwrap_or_default();
    // The number that every controller in the field knows.
    assert!(text.contains("id: 21257015\n    name: \"NoAction\"\n    alias: \"NoAction\""));
    assert!(text.contains("alias: \"a.drop\""));
    assert!(text.starts_with("# proto-file: p4/config/v1/p4info.proto\n"));
}

#[test]
fn an_id_can_be_given_once_only() {
    let mut first = visible_action("a");
    first.preamble.id = Some(7);
    let mut second = visible_action("b");
    second.preamble.id = Some(7);
    let plane = cp::ControlPlane { actions: vec![first, second], ..cp::ControlPlane::default() };
    assert!(p4info::text(&plane).is_err());
}
