//! The same program laid out in another way: in several files, included at odd places, and as macros.
//!
//! The meaning of a program does not depend on the places of its text. These layouts find a compiler that relies on
//! places: files begin at the same offset, and the whole expansion of a macro is at one place.

use crate::random::Random;

/// A text and the files that it includes.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The program.
    pub main: String,
    /// Names and texts.
    pub files: Vec<(String, String)>,
}

/// Most lines that are moved at once.
const LONGEST: usize = 30;

impl Layout {
    /// The text as it is.
    #[must_use]
    pub fn plain(source: &str) -> Self {
        Self { main: source.to_owned(), files: vec![] }
    }

    /// Some pieces become files or macros; some programs stay as they are.
    #[must_use]
    pub fn random(source: &str, random: &mut Random) -> Self {
        let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
        let mut files = vec![];
        for number in 0..random.below(5) {
            move_lines(&mut lines, number, &mut files, random);
        }
        if random.one_in(3) {
            add_unused(&mut lines, &mut files, random);
        }
        let main = lines.iter().flat_map(|line| [line, "\n"]).collect();
        Self { main, files }
    }

    /// All texts, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        let files = self.files.iter().map(|(name, text)| {
            let short: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            format!("==> {name} <==\n{}\n", short.join("\n"))
        });
        self.main.clone() + &files.collect::<String>()
    }
}

/// Moves lines into a file or a macro.
fn move_lines(lines: &mut Vec<String>, number: usize, files: &mut Vec<(String, String)>, random: &mut Random) {
    let from = random.below(lines.len());
    let to = (from + 1 + random.below(LONGEST)).min(lines.len());
    let part = &lines[from..to];
    let has = |mark: &str| part.iter().any(|line| line.contains(mark));
    let is_inside = from.checked_sub(1).is_some_and(|before| lines[before].ends_with('\\'));
    if is_inside || ["#if", "#else", "#endif", "\\"].iter().any(|mark| has(mark)) {
        return;
    }
    let replacement = if has("#") || random.one_in(2) {
        let name = format!("part{number}.p4");
        files.push((name.clone(), part.iter().flat_map(|line| [line, "\n"]).collect()));
        // Space of its own, so that places in the files are alike or not.
        vec![format!("{}#include \"{name}\"", " ".repeat(random.below(3)))]
    } else {
        let body = part.join(" \\\n");
        let parameter = ["", "(hdr)", "(meta, hdr)"][random.below(3)];
        let definition = format!("#define PART{number}{parameter} {body}");
        let mut made: Vec<String> = definition.lines().map(str::to_owned).collect();
        made.push(format!("PART{number}{parameter}"));
        made
    };
    lines.splice(from..to, replacement);
}

/// Includes a file, longer than the program, with an action that nothing uses.
fn add_unused(lines: &mut Vec<String>, files: &mut Vec<(String, String)>, random: &mut Random) {
    let length: usize = lines.iter().map(String::len).sum();
    let text = format!("action unused(inout bit<8> x) {{\nx = x + 1;\n{}\n}}\n", " ".repeat(2 * length));
    files.push(("unused.p4".to_owned(), text));
    // Among the words that begin a line of the generator's, these begin a declaration of the top level.
    let begins =
        |line: &String| ["parser ", "control ", "struct ", "V1Switch("].iter().any(|word| line.starts_with(word));
    let places: Vec<usize> = (0..lines.len()).filter(|place| begins(&lines[*place])).collect();
    let place = random.pick(&places).copied().unwrap_or(lines.len());
    let continues = place.checked_sub(1).is_some_and(|before| lines[before].ends_with('\\'));
    if !continues {
        lines.insert(place, "#include \"unused.p4\"".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_are_met() {
        let source = "parser P() {\n".repeat(40) + "b\n";
        let all: Vec<Layout> = (0..50).map(|round| Layout::random(&source, &mut Random::of_round(1, round))).collect();
        assert!(all.iter().any(|layout| layout.main == source && layout.files.is_empty()));
        for mark in ["#include \"part", "#include \"unused.p4\"", "#define PART0 ", "#define PART0(hdr) "] {
            assert!(all.iter().any(|layout| layout.main.contains(mark)), "{mark}");
        }
        assert!(all.iter().any(|layout| layout.files.iter().any(|(_, text)| text.contains("#include"))));
    }
}
