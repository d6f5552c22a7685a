//! Random texts for the preprocessor: macros that use each other, pastes, strings, splices, comments, conditions,
//! includes, and directives in odd places.

use fuzz_oracle::random::Random;
use std::fmt::Write as _;

/// Names of macros without parameters, and of such as may or may not be defined.
const OBJECTS: [&str; 6] = ["A", "B", "C", "EMPTY", "LP", "bit"];
/// Names of macros with parameters, and how many they have; three takes any number.
const FUNCTIONS: [&str; 6] = ["f", "g", "h", "cat", "str", "v"];
const ARITIES: [usize; 6] = [1, 2, 0, 2, 1, 3];
const PLAIN: [&str; 9] = ["x", "y", "foo", "p", "q", "_", "L", "w5", "__LINE__"];
const PARAMS: [&str; 4] = ["p", "q", "r", "x"];
const NUMBERS: [&str; 18] = [
    "0", "1", "7", "007", "00", "0x1F", "8w0xff", "4s3", "1..2", "1.5", "1e", "0x1e", ".5", "12_3", "32w1", "0b101",
    "1p", "9",
];
const PUNCTUATORS: [&str; 50] = [
    "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||",
    "++", "&&&", "|+|", "|-|", "(", ")", "[", "]", "{", "}", ",", ";", ":", "?", ".", "..", "...", "@", "#", "##",
    "->", "+=", "|+|=", "{#}", "+:", "\\", "$", "`", "<<=",
];
const STRINGS: [&str; 12] = [
    "\"a\"",
    "\"\"",
    "\"a  b\"",
    "\"\\\"\"",
    "\"\\n\"",
    "\"A\"",
    "\"/* x */\"",
    "\"// y\"",
    "'c'",
    "'\\''",
    "\"'\"",
    "'a b'",
];
const SPACES: [&str; 9] = ["", "", "", " ", " ", "  ", "\t", " \t ", "/**/"];
const COMMENTS: [&str; 6] = ["/* c */", "/*A*/", "/* two\n lines */", "/* \" ' */", "/*\n\n\n*/", "/* # */"];

/// A text and the files that it may include: name and content.
pub struct Input {
    pub text: String,
    pub files: Vec<(&'static str, String)>,
}

impl Input {
    /// Whether a comment over several lines begins on a line that a backslash joins to the one before it. GNU cpp
    /// writes the end of such a comment's first line twice.
    pub fn has_comment_after_splice(&self) -> bool {
        let is_joined = |line: &str| line.trim_end_matches([' ', '\t', '\r', '\u{b}', '\u{c}']).ends_with('\\');
        let has_one = |text: &str| {
            let lines: Vec<&str> = text.split('\n').collect();
            lines.windows(2).any(|pair| is_joined(pair[0]) && pair[1].rfind("/*") > pair[1].rfind("*/"))
        };
        has_one(&self.text) || self.files.iter().any(|(_, content)| has_one(content))
    }
}

/// The input of one round.
pub fn input(seed: u64, round: u64) -> Input {
    // The numbers of neighbouring rounds would be alike otherwise.
    let start = Random::of_round(seed, round).draw();
    let mut generator = Generator { random: Random::of_round(start, 0), depth: 0 };
    let count = 3 + generator.random.below(12);
    let text = generator.lines(count);
    let mut files = ["one.h", "two.h"].map(|name| {
        let count = generator.random.below(4);
        let mut content = generator.lines(count);
        match generator.random.below(4) {
            0 => content = format!("#ifndef GUARD\n#define GUARD\n{content}#endif\n"),
            1 => content = format!("#pragma once\n{content}"),
            _ => {}
        }
        (name, content)
    });
    // Files of the same content are one file to cpp's `#pragma once`.
    if files[0].1 == files[1].1 {
        files[1].1.push_str("// the second\n");
    }
    let mut text = match generator.random.below(3) {
        0 => generator.spliced(&text),
        1 if generator.random.one_in(6) => with_short_comments(&text).replace('\n', "\r\n"),
        _ => text,
    };
    if generator.random.one_in(10) {
        text.pop();
    }
    Input { text, files: files.into() }
}

struct Generator {
    random: Random,
    depth: usize,
}

impl Generator {
    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        self.random.pick(from).copied().unwrap_or("")
    }

    fn lines(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            self.line(&mut text);
        }
        text
    }

    fn line(&mut self, text: &mut String) {
        match self.random.below(24) {
            0..=6 => self.define(text),
            7 => {
                let name = self.macro_name();
                let _ = writeln!(text, "#undef {name}");
            }
            8..=10 => self.conditional(text),
            11 => text.push_str(match self.random.below(5) {
                0 => "\n\n\n\n\n\n\n\n\n\n",
                _ => "\n\n",
            }),
            12 => self.odd_directive(text),
            13 => self.long_string(text),
            14 => {
                let indent = self.pick(&["", " ", "   "]);
                let header = self.pick(&[
                    "\"one.h\"",
                    "\"two.h\"",
                    "<one.h>",
                    "\"one.h\" // c",
                    "HEADER",
                    "\"one.h\" /* x\n */",
                ]);
                let _ = writeln!(text, "{indent}#{indent}include {header}");
            }
            15 => {
                let header = self.pick(&["\"two.h\"", "<two.h>", "<two.h", "one.h>"]);
                let _ = writeln!(text, "#define HEADER {header}");
            }
            _ => {
                let indent = self.pick(&["", "", "    ", "\t", " /* i */ "]);
                text.push_str(indent);
                let count = self.random.below(8);
                self.tokens(text, count);
                if self.random.one_in(8) {
                    text.push_str(" // A tail");
                }
                text.push('\n');
            }
        }
    }

    fn macro_name(&mut self) -> &'static str {
        if self.random.one_in(2) { self.pick(&OBJECTS) } else { self.pick(&FUNCTIONS) }
    }

    fn define(&mut self, text: &mut String) {
        let hash = self.pick(&["#", "#", "#", " # ", "  #"]);
        if self.random.one_in(3) {
            let name = self.pick(&OBJECTS);
            let space = self.pick(&[" ", " ", "  ", "\t", " /* c */ ", "\t/* m\n */"]);
            let _ = write!(text, "{hash}define {name}{space}");
            let body = match name {
                "EMPTY" => String::new(),
                "LP" => "(".to_owned(),
                _ => self.body(&[]),
            };
            let _ = writeln!(text, "{body}");
            return;
        }
        let (name, arity) = self.function();
        let count = if self.random.one_in(20) { self.random.below(4) } else { arity.min(2) };
        let mut params: Vec<String> = PARAMS[..count].iter().map(|param| (*param).to_owned()).collect();
        let mut names: Vec<String> = params.clone();
        if name == "v" {
            params.truncate(1);
            names.truncate(1);
            let is_named = self.random.one_in(3);
            params.push(if is_named { "rest..." } else { "..." }.to_owned());
            names.push(if is_named { "rest" } else { "__VA_ARGS__" }.to_owned());
        }
        let comma = self.pick(&[",", ", ", " , "]);
        let body = match (name, names.as_slice()) {
            ("cat", [a, b, ..]) => format!("{a} ## {b}"),
            ("str", [a, ..]) => format!("#{a}"),
            _ => self.body(&names),
        };
        let tail = self.pick(&["", "", "", " // t", " /* t */"]);
        let _ = writeln!(text, "{hash}define {name}({}) {body}{tail}", params.join(comma));
    }

    /// A macro with parameters, and their number.
    fn function(&mut self) -> (&'static str, usize) {
        let index = self.random.below(FUNCTIONS.len());
        (FUNCTIONS[index], ARITIES[index])
    }

    fn body(&mut self, params: &[String]) -> String {
        let mut text = String::new();
        let count = self.random.below(6);
        for index in 0..count {
            if index > 0 && self.random.one_in(5) {
                let paste = self.pick(&["##", " ## ", " ##", "## "]);
                text.push_str(paste);
            } else {
                let space = self.pick(&SPACES);
                text.push_str(space);
            }
            match params {
                [_, ..] if self.random.one_in(2) => {
                    if self.random.one_in(3) {
                        text.push_str(if self.random.one_in(4) { "# " } else { "#" });
                    }
                    let param = self.random.below(params.len());
                    if self.random.one_in(6) && params.len() > 1 {
                        text.push_str(", ##");
                    }
                    text.push_str(&params[param]);
                }
                _ => self.token(&mut text),
            }
        }
        text.replace('\n', " ")
    }

    fn tokens(&mut self, text: &mut String, count: usize) {
        for _ in 0..count {
            self.token(text);
            let space = if self.random.one_in(12) { self.pick(&COMMENTS) } else { self.pick(&SPACES) };
            text.push_str(space);
        }
    }

    /// Tokens whose brackets match and that have no comma, mostly.
    fn argument(&mut self, text: &mut String, count: usize) {
        let mut tokens = String::new();
        self.tokens(&mut tokens, count);
        let depth = |depth: Option<usize>, c: char| match c {
            '(' => depth.map(|depth| depth + 1),
            ')' => depth.and_then(|depth| depth.checked_sub(1)),
            ',' => depth.filter(|depth| *depth > 0),
            '"' | '\'' => None,
            _ => depth,
        };
        if tokens.chars().fold(Some(0), depth) == Some(0) || self.random.one_in(40) {
            text.push_str(&tokens);
        } else {
            let simple = self.pick(&["x A", "\"a\" B", "1 +A", "(x, y)", "'q' y", "str(A)", ""]);
            text.push_str(simple);
        }
    }

    fn token(&mut self, text: &mut String) {
        match self.random.below(20) {
            0..=3 => text.push_str(self.pick(&OBJECTS)),
            4..=7 => self.call(text),
            8 => text.push_str(self.pick(&FUNCTIONS)),
            9..=11 => text.push_str(self.pick(&PLAIN)),
            12..=14 => text.push_str(self.pick(&NUMBERS)),
            15 => text.push_str(self.pick(&STRINGS)),
            16 if self.random.one_in(4) => text.push_str(self.pick(&[
                "\"",
                "'",
                "don't",
                "__LINE__",
                "__FILE__",
                "__COUNTER__",
                "__INCLUDE_LEVEL__",
                "é",
                "a$b",
            ])),
            _ => text.push_str(self.pick(&PUNCTUATORS)),
        }
    }

    fn call(&mut self, text: &mut String) {
        let (name, arity) = self.function();
        let between = self.pick(&["", "", "", "", " ", "\n", " \n ", "/* c */", "  "]);
        text.push_str(name);
        text.push_str(between);
        text.push_str(if self.random.one_in(60) { "LP" } else { "(" });
        let count = match arity {
            3 => self.random.below(4),
            _ if self.random.one_in(60) => self.random.below(4),
            _ => arity,
        };
        self.depth += 1;
        for index in 0..count {
            if index > 0 {
                text.push_str(self.pick(&[",", ", ", " ,", ",\n"]));
            }
            if self.depth < 3 {
                let count = self.random.below(4);
                self.argument(text, count);
                if self.random.one_in(40) {
                    text.push('\n');
                    self.odd_directive(text);
                }
                if self.random.one_in(25) {
                    text.push_str("// in a call\n");
                }
            } else {
                text.push_str(self.pick(&PLAIN));
            }
        }
        self.depth -= 1;
        text.push(')');
    }

    fn conditional(&mut self, text: &mut String) {
        let hash = self.pick(&["#", "#", " #", "# "]);
        match self.random.below(3) {
            0 => {
                let word = self.pick(&["ifdef", "ifndef"]);
                let name = self.macro_name();
                let _ = writeln!(text, "{hash}{word} {name}");
            }
            _ => {
                let condition = self.condition(0);
                let _ = writeln!(text, "{hash}if {condition}");
            }
        }
        self.branch(text);
        while self.random.one_in(3) {
            let condition = self.condition(0);
            let _ = writeln!(text, "{hash}elif {condition}");
            self.branch(text);
        }
        if self.random.one_in(2) {
            let _ = writeln!(text, "{hash}else");
            self.branch(text);
        }
        let tail = self.pick(&["", "", " // end", " /* end */"]);
        let _ = writeln!(text, "{hash}endif{tail}");
    }

    fn branch(&mut self, text: &mut String) {
        self.depth += 1;
        if self.depth < 4 {
            let count = self.random.below(3);
            for _ in 0..count {
                self.line(text);
            }
        }
        self.depth -= 1;
    }

    /// A condition, nearly always a right one.
    fn condition(&mut self, depth: usize) -> String {
        let binary = [
            "+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", "&&",
            "||",
        ];
        let numbers = [
            "0",
            "1",
            "2",
            "3",
            "10",
            "010",
            "0x10",
            "1u",
            "2UL",
            "0xFFFFFFFFFFFFFFFF",
            "9223372036854775807",
            "'a'",
            "'\\n'",
            "'ab'",
            "0b11",
            "5ll",
            "18446744073709551615",
            "L'x'",
        ];
        if depth > 3 {
            return self.pick(&numbers).to_owned();
        }
        let deeper = depth + 1;
        match self.random.below(14) {
            0..=3 => {
                let operator = self.pick(&binary);
                let (left, right) = (self.condition(deeper), self.condition(deeper));
                format!("{left} {operator} {right}")
            }
            4 => format!("({})", self.condition(deeper)),
            5 => {
                let operator = self.pick(&["!", "-", "~", "+"]);
                format!("{operator} {}", self.condition(deeper))
            }
            6 => format!("defined {}", self.macro_name()),
            7 => format!("defined({})", self.macro_name()),
            8 => format!("{} ? {} : {}", self.condition(deeper), self.condition(deeper), self.condition(deeper)),
            9 => self.pick(&OBJECTS).to_owned(),
            10 if self.random.one_in(10) => self
                .pick(&[
                    "",
                    "(",
                    "1 +",
                    "8w5",
                    "1.0",
                    "\"a\"",
                    "1 2",
                    "= 1",
                    "''",
                    "defined",
                    "1 ? 2",
                    "__has_include(\"one.h\")",
                    "__has_include(<none.h>)",
                    "1 , 2",
                    "/* c */ 1 // d",
                    "__LINE__ > 5",
                    "true",
                ])
                .to_owned(),
            10 => format!("({} , 1)", self.condition(deeper)),
            _ => self.pick(&numbers).to_owned(),
        }
    }

    fn odd_directive(&mut self, text: &mut String) {
        if self.random.one_in(12) {
            let line = self.pick(&[
                "#undef",
                "#define",
                "#error no",
                "#else",
                "#endif",
                "#elifdef A",
                "#define defined",
                "#include",
                "#define f(x,x) 1",
                "#define g(x",
                "#define h(x) ## x",
                "#line 5 A",
                "#line A",
                "#if 0\n#elif\n#endif",
            ]);
            text.push_str(line);
            text.push('\n');
            return;
        }
        let line = self.pick(&[
            "#",
            "# ",
            "#line 7",
            "#line 12 \"other.p4\"",
            "# 33 \"abc\" 1",
            "# foo A bar",
            "#foo f(1)",
            "#-- A",
            "#pragma foo A",
            "#pragma once",
            "#ident \"x\"",
            "/* c */ # define A 1",
            "#pragma push_macro(\"A\")",
            "#pragma pop_macro(\"A\")",
            "#define A(x) x",
            "#if 0\nA don't \" /* #endif */\n#endif",
            "# /* c */ define B 2",
            "#warning A",
        ]);
        text.push_str(line);
        text.push('\n');
    }

    /// A P4 string over several lines.
    fn long_string(&mut self, text: &mut String) {
        text.push_str("@s(\"");
        let count = self.random.below(4);
        self.tokens(text, count);
        text.push('\n');
        let count = self.random.below(4);
        for _ in 0..count {
            self.line(text);
        }
        text.push_str(self.pick(&["  A ", "", "x ", " // A"]));
        text.push_str("\") B\n");
    }

    /// The text, some of its lines broken by a backslash.
    fn spliced(&mut self, text: &str) -> String {
        let mut output = String::new();
        for c in with_short_comments(text).chars() {
            output.push(c);
            if c != '/' && c != '*' && self.random.one_in(40) {
                output.push_str(self.pick(&["\\\n", "\\ \n", "\\\n\\\n", "\\\n  "]));
            }
        }
        output
    }
}

/// The text without comments over several lines: in those of which a line is joined to another one, or ends in
/// `\r\n`, cpp leaves remains of its work.
fn with_short_comments(text: &str) -> String {
    let mut output = String::new();
    let mut in_comment = false;
    for c in text.chars() {
        in_comment = (in_comment || (output.ends_with('/') && c == '*')) && !(output.ends_with('*') && c == '/');
        output.push(if in_comment && c == '\n' { ' ' } else { c });
    }
    output
}
