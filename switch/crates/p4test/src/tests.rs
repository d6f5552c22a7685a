//! Tests of the test runner.

use crate::diff;
use crate::stf::{Command, Pattern, parse};
use crate::value;

fn only(text: &str) -> Command {
    let mut statements = parse(text).expect("a statement");
    assert_eq!(statements.len(), 1);
    statements.remove(0).command
}

#[test]
fn statements() {
    assert_eq!(only("packet 3 00 01 fF # a comment"), Command::Packet { port: 3, data: vec![0, 1, 0xff] });
    let pattern = Some(Pattern { digits: "00*F".to_owned(), exact: true });
    assert_eq!(only("  EXPECT 2 00 *f $"), Command::Expect { port: 2, pattern });
    assert_eq!(only("expect 2"), Command::Expect { port: 2, pattern: None });
    assert_eq!(only("mc_node_create 400 6 7"), Command::McNodeCreate(400, vec![6, 7]));
    let Command::Add { table, priority, keys, action } = only("add c.t 0x10:1 a$0.b:0x** act(x:1, y:0x2) = id") else {
        panic!("not an entry");
    };
    assert_eq!((table.as_str(), priority, keys.len()), ("c.t", None, 2));
    assert_eq!((action.name.as_str(), action.args.len()), ("act", 2));
    let Command::Add { priority, .. } = only("add t 12 k:1 act()") else { panic!("not an entry") };
    assert_eq!(priority, Some(12));
    assert!(matches!(only("setdefault t a()"), Command::SetDefault { .. }));
    assert!(matches!(only("check_counter c(1) bytes >= 5"), Command::CheckCounter { bytes: true, index: 1, .. }));
}

#[test]
fn errors_name_the_line() {
    for wrong in [
        "fly",
        "packet",
        "packet x 00",
        "packet 1 0",
        "packet 1 0g",
        "expect 1 0z",
        "add t",
        "add t a(b:1",
        "packet 70000 00",
        "mc_node_create",
        "mirroring_add 1",
        "register_write r 1",
    ] {
        let error = parse(&format!("wait\n\n{wrong}")).expect_err(wrong);
        assert_eq!(error.line, 3, "{error}");
    }
}

#[test]
fn values() {
    assert_eq!(value::integer("0b101"), Some(5));
    assert_eq!(value::integer("0o17"), Some(15));
    assert_eq!(value::integer("12x"), None);
    assert_eq!(value::ternary("0x1*3", 12), Some((vec![1, 3], vec![0xf, 0x0f])));
    assert_eq!(value::ternary("5&&&0xf", 12).map(|(_, mask)| mask), Some(vec![0xf]));
    assert_eq!(value::prefix("0x0a01****", 32), Some((vec![10, 1, 0, 0], 16)));
    assert_eq!(value::prefix("0x0a000000/8", 32), Some((vec![10, 0, 0, 0], 8)));
    assert_eq!(value::full_mask(9), [1, 0xff]);
}

#[test]
fn packets_are_compared() {
    let pattern = |digits: &str, exact| Pattern { digits: digits.to_owned(), exact };
    assert_eq!(diff::compare(&pattern("01*2", false), &[1, 0xf2, 3]), None);
    let text = diff::compare(&pattern("0102", true), &[1, 2, 3]).expect("too long");
    assert!(text.starts_with("is too long: 3 bytes instead of 2"), "{text}");
    let text = diff::compare(&pattern("0102", false), &[1, 3, 3, 4]).expect("differs");
    assert!(text.contains("and 2 bytes more") && !text.contains("03 03"), "{text}");
    assert!(diff::compare(&pattern("010203", false), &[1, 2]).expect("too short").starts_with("is too short"));
    let text = diff::compare(&pattern("010203", false), &[1, 0x12, 3]).expect("it differs");
    assert!(text.starts_with("differs from byte 1 on"), "{text}");
    assert!(
        text.contains("01 02 03  expected")
            && text.contains("01 12 03  received")
            && text.contains("\n              ^"),
        "{text}"
    );
}
