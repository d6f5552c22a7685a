//! Damaged BMv2 JSON: it is refused with a message, or it runs.

use serde_json::{Map, Value, json};
use v1model::{Program, ProgramError};

use crate::packets::{frame, port};
use crate::random::Random;
use crate::rig::Rig;
use crate::{Find, Limits, rounds};

/// Frames into a damaged program that loads.
const FRAMES: usize = 10;

/// Messages about faults of the loader's own say this.
const REPORT: &str = "please report";

/// The damaged text of a round.
pub fn damaged(programs: &[(String, Value)], seed: u64, round: u64) -> String {
    let mut random = Random::of_round(seed, round);
    let Some((_, original)) = programs.get(random.below(programs.len())) else { return String::new() };
    let mut value = original.clone();
    for _ in 0..1 + random.below(4) {
        damage(&mut value, &mut random);
    }
    let mut text = value.to_string();
    if random.one_in(10) {
        damage_text(&mut text, &mut random);
    }
    text
}

/// Loads damaged programs (made from these, by name and JSON) and runs those that load.
///
/// # Errors
/// The first find, or a program that is not JSON to begin with.
pub fn run(programs: &[(String, String)], seed: u64, limits: &Limits) -> Result<u64, Find> {
    let parse = |(name, text): &(String, String)| {
        let value = serde_json::from_str(text).map_err(|error| format!("{name}: {error}"));
        value.map(|value| (name.clone(), value)).map_err(|what| Find { round: 0, what, input: name.clone() })
    };
    let programs: Vec<(String, Value)> = programs.iter().map(parse).collect::<Result<_, _>>()?;
    let round = |number: u64| {
        let text = damaged(&programs, seed, number);
        load_or_refuse(&text, Random::of_round(!seed, number))
    };
    rounds(limits, round, |number| damaged(&programs, seed, number))
}

/// As [`load_and_run`], for a program that may be wrong.
///
/// # Errors
/// It is refused without a reason, or the reason is a fault of the loader's.
pub fn load_or_refuse(json: &str, random: Random) -> Result<(), String> {
    match load_and_run(json, random) {
        // Unless the words are quoted: guided fuzzing discovers the words that are looked for here.
        Err(error) if error.message.contains(REPORT) && !json.contains(REPORT) => {
            Err(format!("loading failed: {error}"))
        }
        Err(error) if error.message.is_empty() => Err("an error without a message".to_owned()),
        _ => Ok(()),
    }
}

/// Loads a program, fills its tables and sends some frames in.
///
/// # Errors
/// It does not load.
pub fn load_and_run(json: &str, mut random: Random) -> Result<(), ProgramError> {
    let program = Program::from_json(json)?;
    let mut rig = Rig::new(program);
    rig.fill(&mut random);
    for _ in 0..FRAMES {
        let frame = frame(&mut random);
        rig.send(&frame, port(&mut random));
    }
    Ok(())
}

/// Changes one place.
fn damage(value: &mut Value, random: &mut Random) {
    let donor = random_place(&mut value.clone(), random).clone();
    let place = random_place(value, random);
    match random.below(8) {
        0 => *place = donor,
        1 => *place = wrong(random),
        2 => shrink(place, random),
        3 => grow(place, random),
        4 => swap(place, random),
        _ => nudge(place, random),
    }
}

/// A place anywhere in the value; deeper ones are likelier.
fn random_place<'a>(value: &'a mut Value, random: &mut Random) -> &'a mut Value {
    let count = match &*value {
        Value::Object(map) => map.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if count == 0 || random.one_in(12) {
        return value;
    }
    let index = random.below(count);
    match value {
        Value::Object(map) => match map.values_mut().nth(index) {
            Some(inner) => random_place(inner, random),
            // Not reached: the index is below the length.
            None => unreachable!("the map has {count} values"),
        },
        Value::Array(items) => random_place(&mut items[index], random),
        other => other,
    }
}

fn wrong(random: &mut Random) -> Value {
    let all = [
        json!(null),
        json!(-1),
        json!(0),
        json!(4_294_967_296u64),
        json!(u64::MAX),
        json!(1.5),
        json!(""),
        json!("0x"),
        json!("0xffffffffffffffffffffffffffffffffffffffffffffffff"),
        json!("-0x1"),
        json!([]),
        json!({}),
        json!(true),
        json!([["standard_metadata", "egress_spec"]]),
        json!({"type": "hexstr", "value": "0x7"}),
        json!({"type": "expression", "value": {"op": "-", "left": null, "right": {"type": "hexstr", "value": "0x1"}}}),
    ];
    all[random.below(all.len())].clone()
}

/// Takes an element out.
fn shrink(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            items.remove(random.below(items.len()));
        }
        Value::Object(map) if !map.is_empty() => {
            let key = map.keys().nth(random.below(map.len())).cloned();
            key.map(|key| map.remove(&key));
        }
        other => *other = Value::Null,
    }
}

/// Doubles an element, or puts the value into an array or object.
fn grow(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(items) if !items.is_empty() => items.push(items[random.below(items.len())].clone()),
        other if random.one_in(2) => *other = json!([other.take()]),
        other => {
            let mut map = Map::new();
            map.insert("type".to_owned(), json!("expression"));
            map.insert("value".to_owned(), other.take());
            *other = Value::Object(map);
        }
    }
}

fn swap(value: &mut Value, random: &mut Random) {
    if let Value::Array(items) = value {
        let count = items.len();
        if count > 1 {
            items.swap(random.below(count), random.below(count));
        }
    } else {
        nudge(value, random);
    }
}

/// A number or text a little off.
fn nudge(value: &mut Value, random: &mut Random) {
    match value {
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or(0);
            let by = [1, -1, 7, 8, -8, 63, 64, 65, 511, 1 << 16, i64::from(u32::MAX)][random.below(11)];
            *value = json!(old.wrapping_add(by));
        }
        Value::Bool(truth) => *truth = !*truth,
        Value::String(text) => damage_text(text, random),
        Value::Null => *value = wrong(random),
        _ => {}
    }
}

fn damage_text(text: &mut String, random: &mut Random) {
    let mut characters: Vec<char> = text.chars().collect();
    let at = random.below(characters.len());
    match random.below(3) {
        0 if !characters.is_empty() => {
            characters.remove(at);
        }
        1 if !characters.is_empty() => characters[at] = ['0', 'f', 'é', '"', '{', '\u{0}'][random.below(6)],
        _ => characters.insert(at, ['0', '9', 'x', ',', ']', '$'][random.below(6)]),
    }
    *text = characters.into_iter().collect();
}
