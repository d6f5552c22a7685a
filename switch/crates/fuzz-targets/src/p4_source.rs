//! Mutated P4 source for the compiler: pieces of given programs cut, repeated, mixed and nested.

use p4c_driver::compile::{self, Settings, Verdict};

use crate::random::Random;

pub use p4c_driver::STACK_BYTES;

/// Pieces that programs are made of or that have been trouble elsewhere.
const PIECES: &[&str] = &[
    "0",
    "1",
    "8w255",
    "4s7",
    "0xffffffffffffffffffffffff",
    "1048576",
    "65536",
    "4294967296",
    "-1",
    "8w0",
    "0w0",
    "bit<0>",
    "bit<1048576>",
    "int<1>",
    "varbit<64>",
    "tuple<bit<8>, bool>",
    "list<bit<8>>",
    "error.NoError",
    "hdr",
    "meta",
    "this",
    "_",
    "...",
    "{}",
    "{#}",
    "{1, 2}",
    "{a = 1}",
    "[1]",
    "[7:0]",
    "[3+:2]",
    "++",
    "|+|",
    "|-|",
    "<<",
    ">>",
    "&&&",
    "..",
    "? 1 :",
    "(bit<8>)",
    "(int)",
    ".apply()",
    ".hit",
    ".action_run",
    ".isValid()",
    ".next",
    ".lastIndex",
    ".push_front(1)",
    "exit;",
    "return;",
    "break;",
    "continue;",
    "for (bit<8> i in 0..255) {",
    "for (bit<8> i = 0; i < 200; i = i + 1) {",
    "if (true) {",
    "else",
    "switch (8w1) { 1: {} }",
    "}",
    "{",
    ";",
    "state start { transition start; }",
    "transition select(8w1) { _: accept; }",
    "header h { bit<8> a; }",
    "struct s<T> { T t; }",
    "header_union u { h a; }",
    "enum bit<8> e { A = 1 }",
    "const bit<8> c = c;",
    "typedef t t;",
    "@name(\"x\")",
    "@pragma x",
    "#include <core.p4>",
    "#define A A A",
    "#define F(x) F(x) x",
    "#if 1",
    "#endif",
    "/*",
    "\"",
    "\\",
    "extern e { e(); void f<T>(in T t); }",
    "control c() { apply {} }",
    "action a(bit<8> x) {}",
    "table t { actions = {} }",
    "key = { 8w1: exact; }",
    "const entries = { _: NoAction(); }",
    "value_set<bit<8>>(4) v;",
    "T f<T>(in T x) { return f(x); }",
];

/// Longest program made.
const MAX_BYTES: usize = 200_000;

/// Makes programs.
pub struct Mutator<'a> {
    programs: &'a [String],
    random: Random,
}

impl<'a> Mutator<'a> {
    /// Starts from `programs`; the same seed gives the same results.
    pub fn new(programs: &'a [String], seed: u64) -> Self {
        Self { programs, random: Random::of_round(seed, 0) }
    }

    /// The next program.
    pub fn next_program(&mut self) -> String {
        let text = self.random.pick(self.programs).map_or("", String::as_str);
        let mut words = split(text);
        for _ in 0..=self.random.below(6) {
            self.mutate(&mut words);
        }
        let mut text = words.concat();
        if text.len() > MAX_BYTES {
            let mut end = MAX_BYTES;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
        }
        text
    }

    fn mutate(&mut self, words: &mut Vec<String>) {
        if words.is_empty() {
            words.push("control".to_owned());
        }
        let at = self.random.below(words.len());
        let length = 1 + self.random.below(12);
        let end = (at + length).min(words.len());
        match self.random.below(10) {
            0 => drop(words.drain(at..end)),
            1 => {
                let piece = words[at..end].to_vec();
                let to = self.random.below(words.len());
                words.splice(to..to, piece);
            }
            2 => {
                let other = self.random.below(words.len());
                words.swap(at, other);
            }
            3 => words[at] = self.piece(),
            4 | 5 => {
                let piece = self.piece();
                words.insert(at, format!(" {piece} "));
            }
            6 => {
                // A piece of another program.
                let other = split(self.random.pick(self.programs).map_or("", String::as_str));
                let from = self.random.below(other.len());
                let to = (from + 1 + self.random.below(60)).min(other.len());
                words.splice(at..at, other[from.min(to)..to].to_vec());
            }
            7 => {
                // Many times the same: deep nesting, long lists.
                let count = 1 << self.random.below(11);
                let piece = words[at..(at + 1 + self.random.below(4)).min(words.len())].concat();
                words.insert(at, piece.repeat(count));
            }
            8 => {
                let cut = words[at].char_indices().map(|(index, _)| index).nth(1).unwrap_or(0);
                words[at].truncate(cut);
            }
            _ => words.truncate(at),
        }
    }

    fn piece(&mut self) -> String {
        self.random.pick(PIECES).map_or("", |piece| piece).to_owned()
    }
}

/// Runs the whole compiler over a program. Whether it compiles does not matter; that it comes back does.
pub fn compile_or_refuse(text: &str) {
    if let Verdict::Compiled(program) = compile::text("fuzz.p4", text, &Settings::default()).verdict {
        let _ = p4_bmv2::json::program(&program);
        let _ = p4_bmv2::p4info::text(&program.control_plane);
    }
}

/// Words, spaces and single signs, which together are the text.
fn split(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words: Vec<String> = vec![];
    let mut last = 2;
    for c in text.chars() {
        let this = kind(c);
        match words.last_mut() {
            Some(word) if this == last && this != 2 => word.push(c),
            _ => words.push(c.to_string()),
        }
        last = this;
    }
    words
}
