//! The preprocessor, seen through the declarations that come out.

use p4_syntax::ast::{Declaration, ExprKind};
use p4_syntax::{Diagnostics, Options, SourceMap, parse_text, preprocess};

/// Values of the constants of a program, as text; and the messages.
fn constants(text: &str, options: &Options) -> (Vec<(String, String)>, String) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let tree = parse_text("t.p4", text, options, &mut sources, &mut diagnostics);
    let list = tree
        .declarations
        .iter()
        .filter_map(|declaration| match declaration {
            Declaration::Constant(constant) => {
                let value = match &constant.value.kind {
                    ExprKind::Integer(number, ..) => number.to_string(),
                    ExprKind::String(text) => text.to_string(),
                    _ => "?".to_owned(),
                };
                Some((constant.name.name.to_string(), value))
            }
            _ => None,
        })
        .collect();
    (list, diagnostics.render(&sources))
}

fn value(text: &str) -> String {
    let (list, messages) = constants(text, &Options::default());
    assert_eq!(messages, "");
    list.last().map(|(_, value)| value.clone()).unwrap_or_default()
}

#[test]
fn macros_are_replaced() {
    assert_eq!(value("#define N 7\nconst int x = N;"), "7");
    assert_eq!(value("#define A B\n#define B 3\nconst int x = A;"), "3");
    assert_eq!(value("#define FIRST(a, b) a\nconst int x = FIRST(4, (5, 6));"), "4");
    assert_eq!(value("#define TWO(a) \\\n  const int x = a;\nTWO(\n  9)"), "9");
    assert_eq!(value("#define X X\n#define N 1\n#undef N\n#ifndef N\nconst int x = 2;\n#endif"), "2");
}

#[test]
fn tokens_are_quoted_and_pasted() {
    assert_eq!(value("#define S(a) #a\nconst string x = S(p + q);"), "p + q");
    assert_eq!(value("#define J(a, b) a##b\nconst int x = J(1, 2);"), "12");
    assert_eq!(value("#define A(n) const int a_##n##=n##;\nA(5)"), "5", "what does not make one token stays two");
}

#[test]
fn lines_that_are_no_directives_are_comments() {
    let text = "########## A banner\n# as in shell: it's unquoted\n#\n# \"\n#-- #else\nconst int x = 6;\n  # the end";
    assert_eq!(value(text), "6");
    let (list, messages) = constants("#some old code don't\nconst int x = 6;", &Options::default());
    assert_eq!(list.len(), 1);
    assert!(messages.starts_with("t.p4(1): warning: unknown directive '#some': the line is skipped"), "{messages}");
}

#[test]
fn conditions() {
    let text = "#define V 20200408\n#if defined(V) && V >= 20200408\nconst int x = 1;\n#else\nconst int x = 2;\n#endif";
    assert_eq!(value(text), "1");
    let text = "#if 0\n not a ' token \" at all\n#if 1\n#endif\n#elif (1 << 2) == 4 && !defined NO\nconst int x = 3;\n#else\n#error no\n#endif";
    assert_eq!(value(text), "3");
    let text = "#ifdef NO\n#elif 0\n#else\nconst int x = 4;\n#endif // done";
    assert_eq!(value(text), "4");
}

#[test]
fn options_define_macros() {
    let options = Options { defines: vec![("N".into(), "12".into())], ..Options::default() };
    let (list, messages) = constants("const int x = N;", &options);
    assert_eq!((list[0].1.as_str(), messages.as_str()), ("12", ""));
}

#[test]
fn own_include_files_are_found() {
    let (list, messages) = constants("#include <v1model.p4>\n#include <core.p4>\n", &Options::default());
    assert_eq!(messages, "");
    assert!(list.iter().any(|(name, _)| name == "__v1model_version"));
}

#[test]
fn include_from_a_directory() {
    let dir = std::env::temp_dir().join(format!("p4-syntax-include-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("temporary directory");
    std::fs::write(dir.join("other.p4"), "const int inner = 1;\n#include \"other.p4\"\n").expect("file");
    let options = Options { include_dirs: vec![dir.clone()], ..Options::default() };
    let (_, messages) = constants("#include \"other.p4\"\n", &options);
    std::fs::remove_dir_all(&dir).expect("removed");
    assert!(messages.contains("too deeply"), "{messages}");
}

#[test]
fn files_that_double_each_other_end() {
    let dir = std::env::temp_dir().join(format!("p4-syntax-doubling-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("temporary directory");
    std::fs::write(dir.join("itself.p4"), "#include \"itself.p4\"\n#include \"itself.p4\"\n").expect("file");
    for level in 0..40 {
        let next = format!("#include \"f{}.p4\"\n", level + 1);
        std::fs::write(dir.join(format!("f{level}.p4")), next.repeat(2)).expect("file");
    }
    let options = Options { include_dirs: vec![dir.clone()], ..Options::default() };
    std::fs::write(dir.join("f40.p4"), "// the last one\n").expect("file");
    let (_, of_itself) = constants("#include \"itself.p4\"\n", &options);
    let (_, of_forty) = constants("#include \"f0.p4\"\n", &options);
    std::fs::remove_dir_all(&dir).expect("removed");
    assert_eq!(of_itself.matches("error:").count(), 1, "{of_itself}");
    assert!(of_itself.contains("too deeply"), "{of_itself}");
    assert!(of_forty.contains("more than 100000 files are included"), "{of_forty}");
}

#[test]
fn messages_have_their_place() {
    let (_, messages) = constants("#include <nowhere.p4>\n", &Options::default());
    assert!(
        messages.starts_with("t.p4(1): [--Werror=I/O error] error: cannot find the include file 'nowhere.p4'"),
        "{messages}"
    );
    let (_, messages) = constants("#if 1\nconst int x = 1;\n", &Options::default());
    assert!(messages.contains("t.p4(1): error: this condition is never closed"), "{messages}");
    let (_, messages) = constants("#line 40 \"orig.p4\"\nconst bit<8> = 1;\n", &Options::default());
    assert!(messages.starts_with("orig.p4(40): error: syntax error"), "{messages}");
    let (_, messages) = constants("#define F(a) a\nconst int x = F(1, 2);\n", &Options::default());
    assert!(messages.contains("takes 1 arguments, 2 given"), "{messages}");
    let (_, messages) = constants("/* open\n", &Options::default());
    assert!(messages.contains("never closed"), "{messages}");
}

#[test]
fn exploding_macros_end() {
    let mut text = String::from("#define M0 x x\n");
    for level in 1..60 {
        text.push_str(&format!("#define M{level} M{} M{}\n", level - 1, level - 1));
    }
    text.push_str("const int x = M59;\n");
    let (_, messages) = constants(&text, &Options::default());
    assert!(messages.contains("too many tokens"));
}

/// As GNU cpp has it: an argument that is expanded by itself stands on its own line. Everything else stands on the line
/// of the outermost macro.
#[test]
fn line_of_a_macro_is_where_it_is_used() {
    let defines = "#define o __LINE__\n#define m(x) x\n#define b(x) x __LINE__\n#define p(x) 0 + ##x\n";
    for (text, expected) in [
        ("o", "5"),
        ("m(\n\no)", "7"),
        ("m(\n\nm(\n\no))", "9"),
        ("m(\n\n__LINE__)", "7"),
        ("b(\n0 +\no +)", "0 + 7 + 5"),
        ("p(\n\n__LINE__)", "0 + 5"),
        ("p(\n\nm(\n\no))", "0 + 5"),
        ("m(\n\np(\n\n__LINE__))", "0 + 7"),
    ] {
        let mut sources = SourceMap::new();
        let mut diagnostics = Diagnostics::new();
        let options = Options::default();
        let output =
            preprocess::text_of_text("t.p4", &format!("{defines}{text}\n"), &options, &mut sources, &mut diagnostics);
        let said: Vec<&str> =
            output.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect();
        assert_eq!(said.join(" "), expected, "{text}");
    }
}
