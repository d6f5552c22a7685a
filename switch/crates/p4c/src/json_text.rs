//! The text of the BMv2 JSON: indented as p4c's is, but not to any depth.

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::io::{Result, Write};

/// The depth below which a value stands on one line: only expressions within expressions are nested so deep. With
/// indentation to any depth, the text of an expression would grow as the square of its operators.
const DEEPEST_INDENTED: usize = 16;

/// The text of a value, with a newline at its end.
///
/// # Errors
/// When the value cannot be JSON, as a map with keys that are no strings.
pub fn text(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut text = vec![];
    value.serialize(&mut Serializer::with_formatter(&mut text, Shallow::default()))?;
    text.push(b'\n');
    Ok(text)
}

/// Indents down to [`DEEPEST_INDENTED`].
#[derive(Default)]
struct Shallow {
    indented: PrettyFormatter<'static>,
    depth: usize,
}

/// Beyond the depth, the methods do as [`serde_json::ser::CompactFormatter`] does, with a blank after `,` and `:`.
impl Formatter for Shallow {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        if self.is_deep() { writer.write_all(b"[") } else { self.indented.begin_array(writer) }
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        let is_deep = self.is_deep();
        self.depth -= 1;
        if is_deep { writer.write_all(b"]") } else { self.indented.end_array(writer) }
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        if self.is_deep() { separate(writer, first) } else { self.indented.begin_array_value(writer, first) }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        if self.is_deep() { Ok(()) } else { self.indented.end_array_value(writer) }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        if self.is_deep() { writer.write_all(b"{") } else { self.indented.begin_object(writer) }
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        let is_deep = self.is_deep();
        self.depth -= 1;
        if is_deep { writer.write_all(b"}") } else { self.indented.end_object(writer) }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        if self.is_deep() { separate(writer, first) } else { self.indented.begin_object_key(writer, first) }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.indented.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        if self.is_deep() { Ok(()) } else { self.indented.end_object_value(writer) }
    }
}

impl Shallow {
    /// Whether the innermost array or object stands on one line.
    fn is_deep(&self) -> bool {
        self.depth > DEEPEST_INDENTED
    }
}

fn separate(writer: &mut (impl Write + ?Sized), first: bool) -> Result<()> {
    if first { Ok(()) } else { writer.write_all(b", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!([[], {}, 1]), |inner, level| json!({ "a": [inner, level], "b": {} }))
    }

    fn written(value: &Value) -> String {
        String::from_utf8(text(value).expect("it is JSON")).expect("JSON is UTF-8")
    }

    #[test]
    fn the_text_means_the_value() {
        for levels in 0..40 {
            let value = nested(levels);
            assert_eq!(serde_json::from_str::<Value>(&written(&value)).expect("the text is JSON"), value);
        }
    }

    #[test]
    fn shallow_values_are_indented_as_ever() {
        for levels in 0..DEEPEST_INDENTED / 2 - 1 {
            let value = nested(levels);
            let expected = serde_json::to_string_pretty(&value).expect("it is JSON") + "\n";
            assert_eq!(written(&value), expected);
        }
    }

    #[test]
    fn what_is_deep_stands_on_one_line() {
        let deep = (0..DEEPEST_INDENTED).fold(json!({ "a": [1, 2], "b": 3 }), |inner, _| json!([inner]));
        assert!(written(&deep).contains("\n                                {\"a\": [1, 2], \"b\": 3}\n"));
    }

    #[test]
    fn each_level_takes_as_much_as_the_one_before() {
        let length = |levels| written(&nested(levels)).len();
        assert_eq!(length(60) - length(50), length(90) - length(80));
    }
}
