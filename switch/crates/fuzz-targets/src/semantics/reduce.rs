//! Makes the program of a find smaller: lines that it does not need go.

/// The least program found for which `still` holds; it holds for `source`.
pub fn reduce(source: &str, still: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = source.lines().collect();
    let join = |lines: &[&str]| lines.iter().flat_map(|line| [*line, "\n"]).collect::<String>();
    loop {
        let before = lines.len();
        let mut count = before / 2;
        while count > 0 {
            let mut from = 0;
            while from < lines.len() {
                let to = (from + count).min(lines.len());
                let fewer = [&lines[..from], &lines[to..]].concat();
                if is_balanced(&lines[from..to]) && still(&join(&fewer)) {
                    lines = fewer;
                } else {
                    from += 1;
                }
            }
            count = if count > 8 { count / 2 } else { count - 1 };
        }
        if lines.len() == before {
            return join(&lines);
        }
    }
}

/// Do lines open as many braces as they close? Without others no program is left that compiles.
fn is_balanced(lines: &[&str]) -> bool {
    let count = |brace: char| lines.iter().map(|line| line.matches(brace).count()).sum::<usize>();
    count('{') == count('}')
}
