//! Walking the JSON with a note of where one is, so that every message names the place.

use num_bigint::{BigInt, Sign};
use serde_json::Value;

use crate::ProgramError;

/// Deepest nesting of arrays and objects that is read: expressions are walked recursively.
const MAX_DEPTH: usize = 1_200;

/// A JSON value and the way to it.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    /// The value itself.
    pub value: &'a Value,
    step: Step<'a>,
    parent: Option<&'a Node<'a>>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

static NULL: Value = Value::Null;

/// Parses JSON text, with a limit on its nesting.
///
/// # Errors
/// Not JSON, or nested too deep.
pub fn parse(text: &str) -> Result<Value, ProgramError> {
    let root_error = |message: String| ProgramError { place: "JSON".to_owned(), message };
    check_depth(text).map_err(root_error)?;
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value: Value = serde::Deserialize::deserialize(&mut reader).map_err(|e| root_error(e.to_string()))?;
    reader.end().map_err(|e| root_error(e.to_string()))?;
    Ok(value)
}

fn check_depth(text: &str) -> Result<(), String> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(format!("nested more than {MAX_DEPTH} levels deep"));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

impl<'a> Node<'a> {
    /// The whole file.
    #[must_use]
    pub fn root(value: &'a Value) -> Self {
        Self { value, step: Step::Root, parent: None }
    }

    /// A member of an object; JSON `null` if it is not there.
    pub fn get<'b>(&'b self, key: &'b str) -> Node<'b>
    where
        'a: 'b,
    {
        Node { value: self.value.get(key).unwrap_or(&NULL), step: Step::Key(key), parent: Some(self) }
    }

    /// The names of an object's members, in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.value.as_object().into_iter().flat_map(|members| members.keys().map(String::as_str))
    }

    /// An element of an array; JSON `null` if it is not there.
    pub fn at<'b>(&'b self, index: usize) -> Node<'b>
    where
        'a: 'b,
    {
        Node { value: self.value.get(index).unwrap_or(&NULL), step: Step::Index(index), parent: Some(self) }
    }

    /// Whether it is not there, or `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.value.is_null()
    }

    /// Whether an object has a member that is not `null`.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some_and(|v| !v.is_null())
    }

    /// Number of elements; `null` counts as an empty array.
    ///
    /// # Errors
    /// Not an array.
    pub fn element_count(&self) -> Result<usize, ProgramError> {
        match self.value {
            Value::Array(items) => Ok(items.len()),
            Value::Null => Ok(0),
            _ => Err(self.expected("an array")),
        }
    }

    /// Calls `f` for each element; `null` counts as an empty array.
    ///
    /// # Errors
    /// Not an array, or the first error of `f`.
    pub fn each(&self, mut f: impl FnMut(Node) -> Result<(), ProgramError>) -> Result<(), ProgramError> {
        for index in 0..self.element_count()? {
            f(self.at(index))?;
        }
        Ok(())
    }

    /// The result of `f` for each element; `null` counts as an empty array.
    ///
    /// # Errors
    /// Not an array, or the first error of `f`.
    pub fn map<T>(&self, mut f: impl FnMut(Node) -> Result<T, ProgramError>) -> Result<Vec<T>, ProgramError> {
        (0..self.element_count()?).map(|index| f(self.at(index))).collect()
    }

    /// The index of the element that has this name, in an array of objects.
    ///
    /// # Errors
    /// Not an array.
    pub fn index_named(&self, name: &str) -> Result<Option<usize>, ProgramError> {
        Ok((0..self.element_count()?).find(|index| self.at(*index).get("name").value.as_str() == Some(name)))
    }

    /// An array of exactly `count` elements.
    ///
    /// # Errors
    /// Not an array, or another number of elements.
    pub fn tuple(&self, count: usize) -> Result<(), ProgramError> {
        let got = self.element_count()?;
        if got == count { Ok(()) } else { Err(self.error(format!("expected {count} elements, found {got}"))) }
    }

    /// A string.
    ///
    /// # Errors
    /// Something else.
    pub fn str(&self) -> Result<&'a str, ProgramError> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    /// A string of one's own.
    ///
    /// # Errors
    /// Something else.
    pub fn string(&self) -> Result<String, ProgramError> {
        self.str().map(str::to_owned)
    }

    /// A truth value, perhaps as a number.
    ///
    /// # Errors
    /// Something else.
    pub fn bool(&self) -> Result<bool, ProgramError> {
        // p4c writes 0 for false in some places.
        let number = || self.value.as_i64().map(|number| number != 0);
        self.value.as_bool().or_else(number).ok_or_else(|| self.expected("true or false"))
    }

    /// A truth value; `default` if it is not there.
    ///
    /// # Errors
    /// Something else.
    pub fn bool_or(&self, default: bool) -> Result<bool, ProgramError> {
        if self.is_null() { Ok(default) } else { self.bool() }
    }

    /// An integer.
    ///
    /// # Errors
    /// Something else.
    pub fn i64(&self) -> Result<i64, ProgramError> {
        self.value.as_i64().ok_or_else(|| self.expected("an integer"))
    }

    /// An integer that is not negative.
    ///
    /// # Errors
    /// Something else.
    pub fn usize(&self) -> Result<usize, ProgramError> {
        self.value
            .as_u64()
            .and_then(|v| usize::try_from(v).ok())
            .ok_or_else(|| self.expected("an integer that is not negative"))
    }

    /// An integer of 32 bits.
    ///
    /// # Errors
    /// Something else.
    pub fn u32(&self) -> Result<u32, ProgramError> {
        self.value
            .as_u64()
            .and_then(|v| u32::try_from(v).ok())
            .ok_or_else(|| self.expected("an integer from 0 to 4294967295"))
    }

    /// A number as a hexadecimal string: `0x1f`, `-0x1f`, `1f`.
    ///
    /// # Errors
    /// Not a string, or not such a number.
    pub fn hexstr(&self) -> Result<BigInt, ProgramError> {
        let text = self.str()?;
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (Sign::Minus, rest),
            None => (Sign::Plus, text),
        };
        let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(self.error(format!("\"{text}\" is not a hexadecimal number")));
        }
        let magnitude = num_bigint::BigUint::parse_bytes(digits.as_bytes(), 16);
        let magnitude = magnitude.ok_or_else(|| self.error(format!("\"{text}\" is not a hexadecimal number")))?;
        Ok(BigInt::from_biguint(sign, magnitude))
    }

    /// The number of bytes a hexadecimal string stands for.
    ///
    /// # Errors
    /// Not a string.
    pub fn hexstr_bytes(&self) -> Result<usize, ProgramError> {
        let text = self.str()?;
        Ok(text.strip_prefix("0x").unwrap_or(text).len().div_ceil(2))
    }

    /// An error at this place.
    pub fn error(&self, message: impl Into<String>) -> ProgramError {
        ProgramError { place: self.place(), message: message.into() }
    }

    fn expected(&self, what: &str) -> ProgramError {
        if self.is_null() {
            self.error(format!("missing; expected {what}"))
        } else {
            let mut shown = self.value.to_string();
            if shown.len() > 60 {
                let cut = (0..=57).rev().find(|i| shown.is_char_boundary(*i)).unwrap_or(0);
                shown.truncate(cut);
                shown.push_str("...");
            }
            self.error(format!("expected {what}, found {shown}"))
        }
    }

    /// `pipelines[0] "ingress" / tables[2] "MyIngress.ipv4_lpm" / key[0]`
    fn place(&self) -> String {
        let mut nodes = Vec::new();
        let mut node = Some(self);
        while let Some(n) = node {
            nodes.push(n);
            node = n.parent;
        }
        let mut text = String::new();
        for n in nodes.iter().rev() {
            match n.step {
                Step::Root => {}
                Step::Key(key) => {
                    if !text.is_empty() {
                        text.push_str(" / ");
                    }
                    text.push_str(key);
                }
                Step::Index(index) => {
                    text.push_str(&format!("[{index}]"));
                    if let Some(name) = n.value.get("name").and_then(Value::as_str) {
                        text.push_str(&format!(" \"{name}\""));
                    }
                }
            }
        }
        if text.is_empty() { "JSON".to_owned() } else { text }
    }
}
