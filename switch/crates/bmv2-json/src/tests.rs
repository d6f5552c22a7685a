use super::*;

fn error(text: &str, read: impl Fn(&Node) -> Result<(), ProgramError>) -> String {
    let value = parse(text).expect("JSON");
    read(&Node::root(&value)).expect_err("refused").to_string()
}

#[test]
fn messages_name_the_place() {
    let text = r#"{"pipelines": [{"name": "ingress", "tables": [{"name": "t", "id": "x"}]}]}"#;
    let read = |root: &Node| {
        root.get("pipelines").each(|pipeline| pipeline.get("tables").each(|table| table.get("id").i64().map(|_| ())))
    };
    let place = r#"pipelines[0] "ingress" / tables[0] "t" / id"#;
    assert_eq!(error(text, read), format!("{place}: expected an integer, found \"x\""));
}

#[test]
fn depth_is_limited_and_brackets_in_texts_do_not_count() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deepest = move || parse(&nested(1_200)).is_ok();
    // As much as a program's first thread has; tests have less, and are not optimised.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(deepest).expect("a thread");
    assert!(thread.join().expect("the stack suffices"));
    assert!(parse(&nested(1_201)).expect_err("too deep").message.contains("levels deep"));
    assert!(parse(&format!("\"{}\\\"\"", "[".repeat(2_000))).is_ok());
}

#[test]
fn what_is_no_program() {
    assert!(error("[]", check_program).contains("expected an object"));
    assert!(error("{}", check_program).contains("\"headers\" is missing"));
    assert!(error(r#"{"__meta__": {"version": [1, 0]}}"#, check_program).contains("major version 1"));
}

#[test]
fn header_types_have_widths() {
    let text =
        r#"{"header_types": [{"name": "h", "max_length": 10, "fields": [["a", 9, true], ["rest", "*"], ["_p", 7]]}]}"#;
    let value = parse(text).expect("JSON");
    let types = header_types(&Node::root(&value)).expect("header types");
    let fields: Vec<_> = types[0].fields.iter().map(|f| (&f.name[..], f.width, f.signed, f.varbit)).collect();
    assert_eq!(fields, [("a", 9, true, false), ("rest", 64, false, true), ("_p", 7, false, false)]);
    let twice = r#"{"header_types": [{"name": "h", "fields": [["a", 9], ["a", 7]]}]}"#;
    assert!(error(twice, |root| header_types(root).map(|_| ())).contains("the same name"));
}

#[test]
fn sources_may_be_missing() {
    let value =
        parse(r#"{"source_info": {"filename": "a.p4", "line": 3, "source_fragment": "x = 1;"}}"#).expect("JSON");
    let info = source_info(&Node::root(&value)).expect("a place");
    assert_eq!((&info.file[..], info.line, &info.fragment[..]), ("a.p4", 3, "x = 1;"));
    assert_eq!(source_info(&Node::root(&parse("{}").expect("JSON"))), None);
}
