//! Programs that end anywhere, and questions about them.

#![allow(clippy::unwrap_used)] // a failing test may panic

mod common;

use common::{Client, FILES, MAIN, position};
use serde_json::json;
use std::path::Path;

/// A program is cut after so many bytes, and so many more.
const STEP: usize = 100;

/// Asks about the end of a text and a place before it.
fn ask(client: &mut Client, name: &str, text: &str) {
    let uri = client.uri(name);
    for place in [text.len(), text.len() / 2] {
        for method in ["textDocument/hover", "textDocument/completion", "textDocument/definition"] {
            client.result(method, json!({"textDocument": {"uri": uri}, "position": position(text, place)}));
        }
    }
    client.result("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
}

#[test]
fn programs_may_end_anywhere() {
    // First as a file that is opened so, then as one that was whole before.
    for was_whole in [false, true] {
        let mut client = Client::ready(&FILES);
        client.open("main.p4", if was_whole { MAIN } else { "" });
        for end in (0..MAIN.len()).step_by(STEP) {
            client.change("main.p4", &MAIN[..end]);
            ask(&mut client, "main.p4", &MAIN[..end]);
        }
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn files_of_a_large_program_may_end_anywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../p4src");
    let mut client = Client::ready(&[]);
    for name in ["nodectl.p4", "records.p4", "pipeline.p4", "metadata_fields.p4"] {
        // An absolute path is in no other folder.
        let path = std::fs::canonicalize(folder.join(name)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let path = path.to_str().unwrap();
        client.open(path, &text);
        assert_eq!(client.messages(path), Vec::<String>::new());
        for end in (0..text.len()).step_by(STEP).filter(|end| text.is_char_boundary(*end)) {
            client.change(path, &text[..end]);
            ask(&mut client, path, &text[..end]);
        }
        client.change(path, &text);
        assert_eq!(client.messages(path), Vec::<String>::new());
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn parts_may_be_missing_anywhere() {
    let mut client = Client::ready(&FILES);
    client.open("main.p4", MAIN);
    for start in (0..MAIN.len() - STEP).step_by(STEP) {
        let text = format!("{}{}", &MAIN[..start], &MAIN[start + STEP / 2..]);
        client.change("main.p4", &text);
        ask(&mut client, "main.p4", &text[..start]);
    }
    for rubbish in ["\u{FFFD}.", "}}}}", "a.b.c.d[", "((((((", "hdr.hdr[].", "/*", "\"", "#include \"", "<<<>>>."] {
        let text = MAIN.replace("meta.seen = count;", rubbish);
        client.change("main.p4", &text);
        ask(&mut client, "main.p4", &text);
    }
    client.change("main.p4", MAIN);
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
    assert_eq!(client.end(), Some(0));
}
