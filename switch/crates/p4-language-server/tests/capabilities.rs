//! The answers of the server, asked as an editor asks.

#![allow(clippy::unwrap_used)] // a failing test may panic

mod common;

use common::{Client, FILES, MAIN, TYPES};
use serde_json::{Value, json};

fn opened() -> Client {
    let mut client = Client::ready(&FILES);
    client.open("main.p4", MAIN);
    client
}

#[test]
fn messages_come_as_one_types() {
    let mut client = opened();
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
    client.change("main.p4", &MAIN.replace("meta.seen = count;", "meta.sen = count;"));
    assert_eq!(client.messages("main.p4"), ["1 36 'meta_t' has no field 'sen'\nit has: seen"]);
    client.change("main.p4", &MAIN.replace("meta.seen = count;", "meta.seen = count + 1;"));
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
    client.change("main.p4", &MAIN.replace("routes.apply();", ""));
    let messages = client.messages("main.p4");
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].starts_with("2 27 table 'routes'"), "{messages:?}");
    client.change(
        "main.p4",
        &MAIN
            .replace("V1Switch(P()", "@diagnostic(\"unused\", \"disable\") V1Switch(P()")
            .replace("routes.apply();", ""),
    );
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
}

#[test]
fn messages_are_in_the_file_that_they_are_about() {
    let mut client = opened();
    client.open("types.p4", &TYPES.replace("bit<8> ttl", "bit<8> tll"));
    let messages = client.messages("main.p4");
    assert!(
        messages.iter().all(|message| message.contains("has no field 'ttl'")) && messages.len() > 2,
        "{messages:?}"
    );
    assert_eq!(client.messages("types.p4"), Vec::<String>::new());
    // An unsaved text wins over the file, and the file holds again once the text is closed.
    client.change("types.p4", &TYPES.replace("bit<48> source", "bat<48> source"));
    let messages = client.messages("types.p4");
    assert!(messages.len() == 1 && messages[0].starts_with("1 6 "), "{messages:?}");
    client.close("types.p4");
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
}

#[test]
fn an_included_file_alone_belongs_to_the_program_beside_it() {
    let mut client = Client::ready(&FILES);
    client.open("types.p4", &TYPES.replace("bit<16> seen", "bit<8> seen"));
    assert_eq!(client.messages("types.p4"), Vec::<String>::new());
    let messages = client.messages("main.p4");
    assert!(messages.len() == 1 && messages[0].starts_with("1 36 "), "{messages:?}");
    client.close("types.p4");
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
}

#[test]
fn definitions_are_found_across_files() {
    let mut client = opened();
    let mut found = |before: &str| {
        let (file, line) = client.definition("main.p4", MAIN, before);
        format!("{file}: {line}")
    };
    assert_eq!(found("hdr.ipv4.ttl = hdr.ip"), "types.p4: ipv4_t ipv4;");
    assert_eq!(found("(hdr.ipv4.tt"), "types.p4: bit<8> ttl;");
    assert_eq!(found("hdr.tunnels[1].tt"), "types.p4: bit<8> ttl;");
    assert_eq!(
        found("routes.apply();\n            hd"),
        "main.p4: control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {"
    );
    assert_eq!(found("error.Too"), "types.p4: error { TooOld }");
    assert_eq!(found("= Colour.GRE"), "types.p4: enum Colour { RED, GREEN }");
    assert_eq!(found("0x0800: parse_"), "main.p4: state parse_ipv4 {");
    assert_eq!(found("actions = { for"), "main.p4: action forward(bit<9> port) { std.egress_spec = port; }");
    assert_eq!(found("counts.re"), "v1model.p4: void read(out T result, in _V1_INDEX_ index);");
    assert_eq!(found("packet.ext"), "core.p4: void extract<T>(out T hdr);");
    assert_eq!(
        found("std.egress"),
        "v1model.p4: _V1_PORT_ egress_spec;   // ingress writes here where it is to go (511: drop)"
    );
    assert_eq!(found("V1Sw"), "v1model.p4: package V1Switch<H, M>(Parser<H, M> p,");
    assert_eq!(found("destination: lp"), "core.p4: lpm       // the longest prefix wins");
    assert_eq!(found("#include \"types"), "types.p4: typedef bit<32> address_t;");
}

#[test]
fn hovers_show_type_and_comment() {
    let mut client = opened();
    let mut shown = |before: &str| client.hover("main.p4", MAIN, before);
    assert_eq!(
        shown("(hdr.ipv4.tt"),
        "```p4\nbit<8> ttl\n```\n\nfield of header `ipv4_t`\n\nCounted down\nby every router."
    );
    assert_eq!(
        shown("(hdr.ethernet.ether"),
        "```p4\nbit<16> ether_type\n```\n\nfield of header `ethernet_t`\n\n0x0800: IPv4"
    );
    assert_eq!(
        shown("hdr.ipv4.dest"),
        "```p4\naddress_t destination\n```\n\nfield of header `ipv4_t`\n\n`address_t` is `bit<32>`"
    );
    assert_eq!(shown("{ forw"), "```p4\naction forward(bit<9> port)\n```\n\nin `I`\n\nSends it on.");
    assert_eq!(shown("bit<16> cou"), "```p4\nbit<16> count\n```");
    assert_eq!(shown("hdr.ipv4.isVal"), "```p4\nbool isValid()\n```");
    assert!(
        shown("counts.re").contains("void read(out T result, in _V1_INDEX_ index)\n```\n\nmethod of extern `register`")
    );
    assert_eq!(shown("hdr.ethernet"), "```p4\nethernet_t ethernet\n```\n\nfield of struct `headers_t`");
    assert_eq!(shown("state parse_ipv4 {"), "nothing");
}

#[test]
fn macros_are_found_too() {
    let mut client = Client::ready(&FILES);
    let text = MAIN.replace("meta.seen = count;", "meta.seen = NEXT(count);");
    let text = format!("#define NEXT(x) \\\n    (x + 1)\n#define NEXT_2 3\n{text}");
    std::fs::write(client.path("main.p4"), &text).unwrap();
    client.open("main.p4", &text);
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
    assert_eq!(client.hover("main.p4", &text, "meta.seen = NE"), "```p4\n#define NEXT(x) \\\n    (x + 1)\n```");
    assert_eq!(client.definition("main.p4", &text, "meta.seen = NE").1, "#define NEXT(x) \\");
    assert_eq!(client.hover("main.p4", &text, "meta.seen = NEXT(cou"), "```p4\nbit<16> count\n```");
}

#[test]
fn completion_knows_members_and_names() {
    let mut client = opened();
    let has = |found: &[String], wanted: &[&str]| wanted.iter().all(|word| found.iter().any(|label| label == word));
    let mut found = |before: &str| client.completion("main.p4", MAIN, before);
    let fields = found("select(hdr.ethernet.");
    assert_eq!(fields[..3], ["destination", "source", "ether_type"]);
    assert!(has(&fields, &["isValid", "setValid", "setInvalid"]));
    assert!(has(&found("hdr."), &["ethernet", "ipv4", "tunnels"]));
    assert!(has(&found("hdr.tunnels."), &["next", "last", "lastIndex", "push_front"]));
    assert!(has(&found("packet."), &["extract", "lookahead", "advance", "length"]));
    assert!(has(&found("counts."), &["read", "write"]));
    assert_eq!(found("routes."), ["apply"]);
    assert_eq!(found("= Colour."), ["RED", "GREEN"]);
    assert!(has(&found("error."), &["NoError", "PacketTooShort", "TooOld"]));
    assert_eq!(found("        transition "), ["start", "parse_ipv4", "accept", "reject", "select"]);
    let names = found("bit<8> inner = ");
    assert!(has(
        &names,
        &["count", "colour", "counts", "routes", "forward", "hdr", "I", "ipv4_t", "register", "if", "bit"]
    ));
    assert!(!has(&names, &["E"]) && !has(&names, &["packet"]) && !has(&names, &["parse_ipv4"]));
    assert_eq!(found("/// Sends"), Vec::<String>::new());
}

#[test]
fn the_outline_has_what_is_in_what() {
    let mut client = opened();
    let uri = client.uri("main.p4");
    let symbols = client.result("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&symbols), ["P", "V", "I", "E", "C", "D", "main"]);
    assert_eq!(names(&symbols[0]["children"]), ["start", "parse_ipv4"]);
    assert_eq!(names(&symbols[2]["children"])[..3], ["counts", "forward", "routes"]);
    let routes = &symbols[2]["children"][2];
    assert_eq!((&routes["range"]["start"]["line"], &routes["range"]["end"]["line"]), (&json!(26), &json!(30)));
    assert_eq!(routes["selectionRange"]["start"], json!({"line": 26, "character": 10}));
}

#[test]
fn questions_are_answered_while_a_line_is_typed() {
    let mut client = opened();
    let text = MAIN.replace("meta.seen = count;", "meta.seen = hdr.ipv4.");
    client.change("main.p4", &text);
    assert_eq!(client.completion("main.p4", &text, "meta.seen = hdr.ipv4.")[..2], ["ttl", "destination"]);
    assert!(client.messages("main.p4")[0].contains("syntax error"));
    assert!(client.hover("main.p4", &text, "meta.se").contains("bit<16> seen"));
    // Below what is typed lines have moved.
    let text = text.replace("meta.seen = hdr", "\n\n    meta.seen = hdr");
    client.change("main.p4", &text);
    assert!(client.hover("main.p4", &text, "bit<8> inner = hdr.tunnels[1].tt").contains("Counted down"));
    let (_, line) = client.definition("main.p4", MAIN, "actions = { forw");
    assert!(line.starts_with("action forward"));
    client.change("main.p4", MAIN);
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
}

#[test]
fn a_program_that_was_never_whole_has_names_too() {
    let mut client = Client::ready(&FILES);
    let text = MAIN.replace("meta.seen = count;", "meta.seen = ;");
    client.open("main.p4", &text);
    assert!(client.messages("main.p4")[0].starts_with("1 36 syntax error"));
    assert!(client.hover("main.p4", &text, "packet.extract(hdr.ether").contains("ethernet_t ethernet"));
}
