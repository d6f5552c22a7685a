//! The course of the conversation: its beginning and end, and the faults in it.

#![allow(clippy::unwrap_used)] // a failing test may panic

mod common;

use common::{Client, FILES, MAIN};
use serde_json::{Value, json};

#[test]
fn it_begins_and_ends_in_order() {
    let mut client = Client::new(&FILES);
    assert_eq!(client.ask("textDocument/hover", json!({}))["error"]["code"], -32002);
    let answer = client.result("initialize", json!({"capabilities": {}}));
    let capabilities = &answer["capabilities"];
    for name in ["definitionProvider", "hoverProvider", "documentSymbolProvider"] {
        assert_eq!(capabilities[name], true, "{name}");
    }
    assert_eq!(capabilities["textDocumentSync"]["change"], 1);
    assert_eq!(answer["serverInfo"]["name"], "p4-language-server");
    assert_eq!(client.ask("initialize", json!({"capabilities": {}}))["error"]["code"], -32600);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn after_shutdown_only_exit_is_right() {
    let mut client = Client::ready(&FILES);
    client.result("shutdown", Value::Null);
    assert_eq!(client.ask("textDocument/hover", json!({}))["error"]["code"], -32600);
    assert_eq!(client.exit(), Some(0));
}

#[test]
fn an_end_without_shutdown_is_a_failure() {
    assert_eq!(Client::ready(&FILES).exit(), Some(1));
    assert_eq!(Client::ready(&FILES).hang_up(), Some(1));
}

#[test]
fn unknown_methods_are_refused_and_unknown_news_passed_over() {
    let mut client = Client::ready(&FILES);
    client.tell("$/unknown", json!({}));
    client.tell("textDocument/didOpen", json!({"nonsense": 1}));
    let error = client.ask("textDocument/rename", json!({}))["error"].clone();
    assert_eq!(error["code"], -32601);
    assert!(error["message"].as_str().unwrap().contains("textDocument/rename"));
    assert_eq!(client.ask("textDocument/hover", json!({"position": 3}))["error"]["code"], -32602);
    let nowhere = json!({"textDocument": {"uri": "file:///no/such.p4"}, "position": {"line": 9, "character": 9}});
    assert_eq!(client.result("textDocument/hover", nowhere), Value::Null);
    let elsewhere = json!({"textDocument": {"uri": "untitled:1"}, "position": {"line": 0, "character": 0}});
    assert_eq!(client.result("textDocument/definition", elsewhere), Value::Null);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn malformed_messages_do_not_end_it() {
    let mut client = Client::ready(&FILES);
    for (bytes, code) in [
        (&b"Content-Length: 5\r\n\r\n{\"a\":"[..], -32700),
        (b"Content-Length: many\r\n\r\n", -32700),
        (b"No-Length: 1\r\n\r\n", -32700),
        (b"Content-Length: 4\r\n\r\n\xff\xfe\xfd\xfc", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: 17\r\n\r\n{\"jsonrpc\":\"2.0\"}", -32600),
    ] {
        client.raw(bytes);
        let answer = client.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{bytes:?}");
    }
    client.open("main.p4", MAIN);
    assert!(client.hover("main.p4", MAIN, "packet.extract(hdr.ether").contains("ethernet_t ethernet"));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn settings_reach_the_preprocessor() {
    let mut client = Client::new(&[("main.p4", ""), ("more_types.h", "typedef bit<WIDTH> t;")]);
    let folder = client.path("").join("include");
    std::fs::create_dir(&folder).unwrap();
    std::fs::rename(client.path("more_types.h"), folder.join("more_types.h")).unwrap();
    let options = json!({"includePaths": ["include"], "defines": {"WIDTH": "7"}});
    let root = client.uri("");
    client.result("initialize", json!({"capabilities": {}, "rootUri": root, "initializationOptions": options}));
    let text = "#include <more_types.h>\nconst t x = 127;\nconst t y = x;\n";
    client.open("main.p4", text);
    assert_eq!(client.messages("main.p4"), Vec::<String>::new());
    assert!(client.definition("main.p4", text, "const t").1.contains("typedef"));
    assert_eq!(client.end(), Some(0));
}
