//! How long it takes from a change to its messages: `cargo run --release --example latency -- PROGRAM.p4 [TIMES]`.
//!
//! The server runs as an editor runs it; every change is the whole text with another comment in it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let program = std::path::absolute(words.next().ok_or("give a program")?)?;
    let times: usize = words.next().map_or(Ok(100), |word| word.parse())?;
    let text = std::fs::read_to_string(&program)?;
    let uri = format!("file://{}", program.display());
    let server = std::env::current_exe()?;
    let folder = server.parent().and_then(Path::parent).ok_or("the example is in no folder of cargo's")?;
    let mut child =
        Command::new(folder.join("p4-language-server")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().ok_or("no input")?;
    let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut send = |message: &Value| -> std::io::Result<()> {
        let text = message.to_string();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        input.flush()
    };
    let mut receive = || -> Result<Value, Box<dyn std::error::Error>> {
        let (mut head, mut blank) = (String::new(), String::new());
        output.read_line(&mut head)?;
        output.read_line(&mut blank)?;
        let length: usize = head.trim().trim_start_matches("Content-Length: ").parse()?;
        let mut bytes = vec![0; length];
        output.read_exact(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
    };
    send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}))?;
    receive()?;
    let document = json!({"uri": uri, "languageId": "p4", "version": 0, "text": text});
    send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}))?;
    receive()?;
    let mut spent = Vec::new();
    for version in 1..=times {
        let changes = json!([{"text": format!("{text}// {version}\n")}]);
        let params = json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": changes});
        let start = Instant::now();
        send(&json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}))?;
        receive()?;
        spent.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    spent.sort_by(f64::total_cmp);
    let at = |share: usize| {
        spent.get((spent.len() * share / 100).min(spent.len().saturating_sub(1))).copied().unwrap_or(0.0)
    };
    println!("ms from a change to its messages: least {:.1}, median {:.1}, 95 % {:.1}", at(0), at(50), at(95));
    child.kill()?;
    child.wait()?;
    Ok(())
}
