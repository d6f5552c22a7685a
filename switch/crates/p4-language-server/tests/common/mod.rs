//! A client of the server, and a program for it to ask about.

#![allow(dead_code, clippy::unwrap_used)] // each test uses some of it, and a failing test may panic

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server that runs, and a folder of programs.
pub struct Client {
    /// The folder.
    pub folder: tempfile::TempDir,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
    /// The last messages that were told of each URI.
    pub messages: Vec<(String, Value)>,
}

impl Client {
    /// A server that has been asked nothing yet, and these files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_p4-language-server"))
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { folder, child, input, output, requests: 0, messages: Vec::new() }
    }

    /// The same, initialized.
    pub fn ready(files: &[(&str, &str)]) -> Self {
        let mut client = Self::new(files);
        client.result("initialize", json!({"capabilities": {}}));
        client.tell("initialized", json!({}));
        client
    }

    pub fn path(&self, name: &str) -> PathBuf {
        std::path::absolute(self.folder.path().join(name)).unwrap()
    }

    pub fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
        self.input.flush().unwrap();
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    /// The next message of the server.
    pub fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().unwrap(),
                _ => break,
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The whole response to a request; the notifications that come meanwhile are kept.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.keep(&message);
        }
    }

    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let response = self.ask(method, params);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    fn keep(&mut self, message: &Value) {
        assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
        let uri = message["params"]["uri"].as_str().unwrap().to_owned();
        self.messages.retain(|(known, _)| *known != uri);
        self.messages.push((uri, message["params"]["diagnostics"].clone()));
    }

    /// Opens a text, or gives an open file another one.
    pub fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        self.tell(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "p4", "version": 1, "text": text}}),
        );
    }

    pub fn change(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let changes = json!([{"text": text}]);
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": changes}),
        );
    }

    pub fn close(&mut self, name: &str) {
        let uri = self.uri(name);
        self.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }

    /// The messages about a file as `severity line message`; all that was told before this is in.
    pub fn messages(&mut self, name: &str) -> Vec<String> {
        let uri = self.uri(name);
        // A server that is asked about a text sends the text's messages first.
        self.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
        let found = self.messages.iter().find(|(known, _)| *known == uri).map(|(_, list)| list.clone());
        let list = found.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
        let shown = |item: &Value| {
            let line = item["range"]["start"]["line"].as_u64().unwrap() + 1;
            format!("{} {line} {}", item["severity"], item["message"].as_str().unwrap())
        };
        list.iter().map(shown).collect()
    }

    /// Asks about the place after `before` in a text.
    pub fn at(&mut self, method: &str, name: &str, text: &str, before: &str) -> Value {
        let uri = self.uri(name);
        let end = text.find(before).unwrap_or_else(|| panic!("the text has no {before:?}")) + before.len();
        self.result(method, json!({"textDocument": {"uri": uri}, "position": position(text, end)}))
    }

    pub fn hover(&mut self, name: &str, text: &str, before: &str) -> String {
        let hover = self.at("textDocument/hover", name, text, before);
        hover["contents"]["value"].as_str().unwrap_or("nothing").to_owned()
    }

    pub fn completion(&mut self, name: &str, text: &str, before: &str) -> Vec<String> {
        let items = self.at("textDocument/completion", name, text, before);
        items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    }

    /// File name and line of a definition, and the text of that line.
    pub fn definition(&mut self, name: &str, text: &str, before: &str) -> (String, String) {
        let place = self.at("textDocument/definition", name, text, before);
        let path = place["uri"].as_str().unwrap_or_else(|| panic!("{before}: no definition")).replace("file://", "");
        let line = usize::try_from(place["range"]["start"]["line"].as_u64().unwrap()).unwrap();
        let there = std::fs::read_to_string(&path).unwrap();
        let file = Path::new(&path).file_name().unwrap().to_string_lossy().into_owned();
        (file, there.lines().nth(line).unwrap().trim().to_owned())
    }

    /// Ends the conversation as an editor does; gives the exit status.
    pub fn end(mut self) -> Option<i32> {
        assert_eq!(self.result("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        self.child.wait().unwrap().code()
    }

    /// Closes the server's input or ends it without a word; gives the exit status.
    pub fn hang_up(mut self) -> Option<i32> {
        drop(self.input);
        self.child.wait().unwrap().code()
    }

    /// The exit status after `exit` alone.
    pub fn exit(mut self) -> Option<i32> {
        self.tell("exit", Value::Null);
        self.child.wait().unwrap().code()
    }
}

pub fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
    json!({"line": line, "character": character})
}

pub const TYPES: &str = "\
typedef bit<32> address_t;

// The outermost header.
header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;   // 0x0800: IPv4
}

header ipv4_t {
    /* Counted down
     * by every router. */
    bit<8> ttl;
    address_t destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ipv4_t[3] tunnels;
}

struct meta_t { bit<16> seen; }
enum Colour { RED, GREEN }
error { TooOld }
";

pub const MAIN: &str = "\
#include <core.p4>
#include <v1model.p4>
#include \"types.p4\"

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.ttl > 0, error.TooOld);
        packet.extract(hdr.tunnels.next);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<16>>(16) counts;
    /// Sends it on.
    action forward(bit<9> port) { std.egress_spec = port; }
    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; NoAction; }
        default_action = NoAction();
    }
    apply {
        bit<16> count;
        Colour colour = Colour.GREEN;
        counts.read(count, (bit<32>) std.ingress_port);
        meta.seen = count;
        if (hdr.ipv4.isValid() && colour == Colour.GREEN) {
            bit<8> inner = hdr.tunnels[1].ttl;
            routes.apply();
            hdr.ipv4.ttl = hdr.ipv4.ttl - inner;
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
";

/// The two files of that program.
pub const FILES: [(&str, &str); 2] = [("main.p4", MAIN), ("types.p4", TYPES)];
