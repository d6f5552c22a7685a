//! Finds the objects that a test names: by the whole name, or by the end of it.

use v1model::{ActionCall, ActionId, KeyInfo, KeyMatch, MatchKind, Program, TableInfo};

use crate::stf::ActionText;
use crate::value;

/// The only item with this name, else the only one whose name ends so.
fn by_end<'a, T>(
    items: impl Iterator<Item = &'a T> + Clone,
    name: &str,
    of: impl Fn(&T) -> &str,
) -> Result<&'a T, String> {
    if let Some(item) = items.clone().find(|item| of(item) == name) {
        return Ok(item);
    }
    let mut found = items.filter(|item| of(item).ends_with(name));
    match (found.next(), found.next()) {
        (Some(item), None) => Ok(item),
        (Some(a), Some(b)) if of(a) == of(b) => Ok(a),
        (Some(a), Some(b)) => Err(format!("\"{name}\" may be {} or {}", of(a), of(b))),
        (None, _) => Err(format!("there is no \"{name}\"")),
    }
}

pub(crate) fn table<'a>(program: &'a Program, name: &str) -> Result<&'a TableInfo, String> {
    by_end(program.tables().iter(), name, |t| &t.name).map_err(|e| format!("table: {e}"))
}

pub(crate) fn register(program: &Program, name: &str) -> Result<v1model::RegisterId, String> {
    by_end(program.registers().iter(), name, |r| &r.name).map(|r| r.id).map_err(|e| format!("register: {e}"))
}

pub(crate) fn meter(program: &Program, name: &str) -> Result<v1model::MeterId, String> {
    by_end(program.meters().iter(), name, |m| &m.name).map(|m| m.id).map_err(|e| format!("meter: {e}"))
}

pub(crate) fn counter(program: &Program, name: &str) -> Result<v1model::CounterId, String> {
    let found = by_end(program.counters().iter(), name, |c| &c.name).map_err(|e| format!("counter: {e}"))?;
    let index = program.counters().iter().position(|c| std::ptr::eq(c, found));
    let index = index.and_then(|i| u32::try_from(i).ok()).ok_or("counter not found")?;
    Ok(v1model::CounterId(index))
}

/// An action of a table with its arguments in order.
pub(crate) fn call(program: &Program, table: &TableInfo, text: &ActionText) -> Result<ActionCall, String> {
    let actions: Vec<&v1model::ActionInfo> =
        table.actions.iter().filter_map(|id: &ActionId| program.actions().get(id.0 as usize)).collect();
    let action = by_end(actions.iter().copied(), &text.name, |a| &a.name);
    let action = action.map_err(|e| format!("action of table {}: {e}", table.name))?;
    let mut params = Vec::with_capacity(action.params.len());
    for param in &action.params {
        let given = text.args.iter().find(|(name, _)| *name == param.name);
        let (_, given) = given.ok_or_else(|| format!("action {} needs {}", action.name, param.name))?;
        params.push(value::bytes(given).ok_or_else(|| format!("\"{given}\" is not a number"))?);
    }
    if let Some((extra, _)) = text.args.iter().find(|(name, _)| action.params.iter().all(|p| p.name != *name)) {
        return Err(format!("action {} has no parameter {extra}", action.name));
    }
    Ok(ActionCall { action: action.id, params })
}

/// The key field that a test means: `a$1.b` stands for `a[1].b`, the end of a name is enough.
fn key_position(keys: &[KeyInfo], name: &str) -> Option<usize> {
    let name = stack_name(name);
    let find = |matches: &dyn Fn(&str) -> bool| keys.iter().position(|k| matches(&k.name));
    find(&|n| n == name)
        .or_else(|| find(&|n| n == format!("{name}$") || n == format!("{name}.$valid$")))
        .or_else(|| find(&|n| name.strip_suffix(".valid").is_some_and(|h| n == format!("{h}.$valid$"))))
        .or_else(|| find(&|n| n.ends_with(&format!(".{name}")) || n.ends_with(&format!(".{name}$"))))
        .or_else(|| find(&|n| name == "valid" && n.ends_with("$valid$")))
        .or_else(|| find(&|n| n.ends_with(".isValid()") && n.starts_with(name.trim_end_matches(".$valid$"))))
}

fn stack_name(name: &str) -> String {
    let Some((before, after)) = name.rsplit_once('$') else {
        return name.to_owned();
    };
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    if digits.is_empty() { name.to_owned() } else { format!("{before}[{digits}]{}", &after[digits.len()..]) }
}

/// A whole key; fields the test does not name match anything (or are zero where they must match exactly).
pub(crate) fn key(table: &TableInfo, given: &[(String, String)]) -> Result<Vec<KeyMatch>, String> {
    let mut key: Vec<KeyMatch> = table.keys.iter().map(unnamed).collect();
    for (name, text) in given {
        let position = key_position(&table.keys, name);
        let position = position.ok_or_else(|| {
            let names: Vec<&str> = table.keys.iter().map(|k| k.name.as_str()).collect();
            format!("table {} has no key field \"{name}\"; it has {}", table.name, names.join(", "))
        })?;
        let field = &table.keys[position];
        key[position] = field_match(field, text).ok_or_else(|| format!("\"{text}\" is not a value of {name}"))?;
    }
    Ok(key)
}

fn unnamed(field: &KeyInfo) -> KeyMatch {
    match field.kind {
        MatchKind::Exact => KeyMatch::Exact(vec![0]),
        MatchKind::Lpm => KeyMatch::Lpm { value: vec![0], prefix_len: 0 },
        MatchKind::Ternary => KeyMatch::Ternary { value: vec![0], mask: vec![0] },
        MatchKind::Range => KeyMatch::Range { low: vec![0], high: value::full_mask(field.width) },
        MatchKind::Optional => KeyMatch::Optional(None),
        MatchKind::Valid => KeyMatch::Valid(false),
    }
}

fn field_match(field: &KeyInfo, text: &str) -> Option<KeyMatch> {
    Some(match field.kind {
        MatchKind::Exact => KeyMatch::Exact(value::bytes(text)?),
        MatchKind::Lpm => {
            let (value, prefix_len) = value::prefix(text, field.width)?;
            KeyMatch::Lpm { value, prefix_len }
        }
        MatchKind::Ternary => {
            let (value, mask) = value::ternary(text, field.width)?;
            KeyMatch::Ternary { value, mask }
        }
        MatchKind::Range => {
            let (low, high) = value::range(text)?;
            KeyMatch::Range { low, high }
        }
        MatchKind::Optional => KeyMatch::Optional(Some(value::bytes(text)?)),
        MatchKind::Valid => KeyMatch::Valid(value::integer(text)? != 0),
    })
}
